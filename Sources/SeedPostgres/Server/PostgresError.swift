import SeedDatabase
import SeedServer

/// What a server, or libpq on the way to it, said.
package struct ServerMessage: Hashable, Sendable {
  /// Five characters; empty where libpq itself gave up.
  let state: String
  let text: String
  var detail = ""
  /// From 1, in characters of the statement.
  var position: Int?
  /// Whom the server knows the session as.
  var user = ""
  var isOfStandby = false

  var isSyntax: Bool { state == "42601" }
}

/// A database that cannot be read, or whose content cannot be published.
package enum PostgresError: OriginFailure, Hashable {
  case connection(place: PostgresPlace, ServerMessage)
  case server(place: PostgresPlace, subject: String, ServerMessage)
  case tooOld(place: String, version: Int)
  case encoding(place: String, name: String)
  case noSchema(place: String, schema: String)
  case noTable(place: String, table: String)
  case rewritten(place: String, tables: [String])
  case type(source: String, table: String, column: String, type: String, reason: String)

  /// Whether another try may find the server in order without anyone mending it.
  package var isUnavailable: Bool {
    switch self {
    case .connection(_, let message), .server(_, _, let message):
      Remedy(message) == nil && Self.mayPass(message)
    case .rewritten: true
    default: false
    }
  }

  /// Whether a setting, a right or a model's SELECT must be mended, not the rows.
  package var isConfiguration: Bool {
    switch self {
    case .connection: !isUnavailable
    case .server(_, _, let message): !isUnavailable && !message.state.hasPrefix("22")
    case .rewritten: false
    case .tooOld, .encoding, .noSchema, .noTable, .type: true
    }
  }

  /// Connection, resources, an operator's intervention, the system's and inner errors; a standby's conflict.
  private static func mayPass(_ message: ServerMessage) -> Bool {
    let classes = ["", "08", "40", "53", "55", "57", "58", "XX"]
    return classes.contains(String(message.state.prefix(2)))
  }

  package var description: String {
    switch self {
    case .connection(let place, let message):
      "the origin \(place.text) cannot be reached: \(message.text); " + Self.advice(place, message)
    case .server(let place, let subject, let message):
      "\(subject): \(message.text)" + (message.detail.isEmpty ? "" : " (\(message.detail))")
        + Self.tail(place, message)
    case .tooOld(let place, let version):
      "the origin \(place) is PostgreSQL \(version): expected \(PostgresConnection.oldestMajor) or newer; publish from a newer"
        + " server"
    case .encoding(let place, let name):
      "the origin \(place) is a database with the encoding \(name), in which a text may be anything: publish from a"
        + " database with UTF8, such as a copy by 'pg_dump' and 'createdb --encoding UTF8 --template template0'"
    case .noSchema(let place, let schema):
      "the origin \(place) has no schema \"\(schema)\": correct origin.schema"
    case .noTable(let place, let table): "the origin \(place) has no table \"\(table)\": correct --tables"
    case .rewritten(let place, let tables):
      "the origin \(place): \(tables.map { "\"\($0)\"" }.joined(separator: ", ")) was emptied by TRUNCATE, or written anew by ALTER TABLE, "
        + "after this step had begun, and would have been read as empty: nothing was published, the next step reads it as it is then"
    case .type(let source, let table, let column, let type, let reason):
      "table \"\(table)\" (\(source)): the column \"\(column)\" has the type \(type): \(reason)"
    }
  }

  private static func advice(_ place: PostgresPlace, _ message: ServerMessage) -> String {
    switch Remedy(message) {
    case .password:
      "give the right password in a password file (PGPASSFILE, ~/.pgpass) or PGPASSWORD"
        + (place.variable.map { ", or the whole URL in \($0)" } ?? "")
    case .access: "let pg_hba.conf admit this user, host and database, or correct origin.postgres"
    case .database: "correct the database's name in origin.postgres"
    default: "check that the server runs, and host and port in origin.postgres"
    }
  }

  private static func tail(_ place: PostgresPlace, _ message: ServerMessage) -> String {
    switch Remedy(message) {
    case .right:
      "; let the tables' owner run: \(grants(to: message.user, place.schema))"
    default: hint(message).map { "; \($0)" } ?? ""
    }
  }

  /// What a user needs for reading a schema.
  package static func grants(to user: String, _ schema: String) -> String {
    "GRANT USAGE ON SCHEMA \(quoted(schema)) TO \(quoted(user)); "
      + "GRANT SELECT ON ALL TABLES IN SCHEMA \(quoted(schema)) TO \(quoted(user));"
  }

  /// What helps against what passes by itself, if only it is given time.
  private static func hint(_ message: ServerMessage) -> String? {
    switch message.state {
    case "57014": "a statement may take origin.statementTimeoutSeconds: raise it"
    case "55P03": "somebody changes this table: try again later, or raise origin.lockTimeoutSeconds"
    case "40001": "the standby took away rows that were being read: \(feedback)"
    case "53300":
      "the server has no connection left: raise its max_connections, or give this user some of them"
    case let state where state.isEmpty || ["08", "57"].contains(state.prefix(2)):
      "the connection ended; nothing was published, the next step tries again"
        + (message.isOfStandby
          ? ". A standby ends it to take away rows that are being read: \(feedback)" : "")
    default: nil
    }
  }

  private static let feedback = "set hot_standby_feedback = on there, or raise max_standby_streaming_delay"

  /// What an operator must mend, by SQLSTATE.
  private enum Remedy {
    case password, access, database, right

    init?(_ message: ServerMessage) {
      switch message.state {
      case "28P01": self = .password
      case "28000": self = .access
      case "3D000": self = .database
      case "42501": self = .right
      default:
        // libpq asks for a password itself, and has no number for that.
        guard message.state.isEmpty, message.text.contains("no password supplied") else { return nil }
        self = .password
      }
    }
  }
}
