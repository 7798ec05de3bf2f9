import SeedDatabase
import SeedPublisher

/// The error for a database that cannot be read, or whose content cannot be published.
package enum PostgresError: OriginFailure, Hashable {
  case server(place: PostgresPlace, subject: String, ServerMessage)
  case rewritten(place: String, tables: [String])
  case relabeled(place: String, String)
  /// A setting, a right, a type or a model is wrong.
  case configuration(String)

  /// Whether a retry may succeed.
  package var isUnavailable: Bool {
    switch self {
    case .server(_, _, let message): repair == nil && Self.mayPass(message)
    case .rewritten, .relabeled: true
    case .configuration: false
    }
  }

  package var isConfiguration: Bool {
    switch self {
    case .server(_, _, let message): !isUnavailable && (message.isOfConnection || !message.isOfValue)
    case .rewritten, .relabeled: false
    case .configuration: true
    }
  }

  /// Whether an immediate retry may succeed. True if a standby's replay removed rows that were being read, if a
  /// table without a lock was rewritten, if partitions changed, or if an enum's label was renamed.
  package var isMomentary: Bool {
    switch self {
    case .server(_, _, let message):
      message.state == "40001" || message.isOfStandby && Self.isEnd(message)
    case .rewritten, .relabeled: true
    case .configuration: false
    }
  }

  /// Whether the server would always reject the statement, because a right or a function is missing.
  var isInability: Bool {
    guard case .server(_, _, let message) = self else { return false }
    return ["42", "0A"].contains(message.state.prefix(2)) || message.state == "55000"
  }

  /// Whether the connection was lost. A server that ends it while sending rows may be unable to report why.
  private static func isEnd(_ message: ServerMessage) -> Bool {
    message.state.isEmpty || message.state.hasPrefix("08")
  }

  /// Classes of temporary errors: connection, resources, operator intervention, system, internal, standby conflicts.
  private static func mayPass(_ message: ServerMessage) -> Bool {
    let classes = ["", "08", "40", "53", "55", "57", "58", "XX"]
    return classes.contains(String(message.state.prefix(2)))
  }

  package var description: String {
    switch self {
    case .server(_, let subject, let message):
      "\(subject): \(message.text)" + (message.detail.isEmpty ? "" : " (\(message.detail))")
        + ((repair ?? Self.hint(message)).map { "; \($0)" } ?? "")
    case .rewritten(let place, let tables):
      "the origin \(place): \(tables.map { "\"\($0)\"" }.joined(separator: ", ")) was emptied by TRUNCATE, rewritten by ALTER TABLE or "
        + "VACUUM FULL, created again, or lost or became a partition after this step began, and might have been read with missing or "
        + "later rows. Nothing was published; the next step tries again"
    case .relabeled(let place, let text):
      "the origin \(place): an enum's label was renamed after this step began, and old rows might have been read with the new "
        + "label. Nothing was published; the next step tries again (\(text))"
    case .configuration(let text): text
    }
  }

  /// The operator's remedy, by SQLSTATE. Errors of libpq have no SQLSTATE.
  private var repair: String? {
    guard case .server(let place, _, let message) = self else { return nil }
    return switch message.state {
    case "28P01": Self.password(place)
    case "28000": Self.admission(message)
    case "3D000": "correct the database's name in the origin's URL"
    case "42501" where message.user.isEmpty:
      "have the database's owner GRANT CONNECT ON DATABASE to this user"
    case "42501" where message.function == "check_enable_rls":
      "its hidden rows would be missing from the publication: have a superuser run ALTER ROLE "
        + "\(quoted(message.user)) BYPASSRLS; or, if the rows that this user can read are enough, set "
        + "origin.rowSecurity to \"apply\""
    case "42501":
      "have the tables' owner run: \(Self.grants(to: message.user, place.schema, table: message.table))"
    case "" where message.isOfConnection: Self.connectionRepair(place, message.text)
    default: nil
    }
  }

  private static func admission(_ message: ServerMessage) -> String {
    if message.text.contains("client certificate") { return clientCertificate }
    if message.text.contains("is not permitted to log in") {
      return "have a superuser run ALTER ROLE … LOGIN for this user, or correct the origin's URL"
    }
    if message.text.hasPrefix("role ") {
      return "have a superuser run CREATE ROLE … LOGIN for this user, or correct the origin's URL"
    }
    return "let pg_hba.conf admit this user, host and database, or correct the origin's URL"
  }

  /// Returns the remedy for an error of libpq, whose messages are in English.
  private static func connectionRepair(_ place: PostgresPlace, _ text: String) -> String? {
    if text.contains("no password supplied") { return password(place) }
    if wrongURL.contains(where: text.hasPrefix) { return "correct the origin's URL" }
    if text.contains("does not support SSL") {
      return
        "set ssl = on and a certificate on the server; or, if no other host can read the traffic, set sslmode=disable in "
        + "the origin's URL"
    }
    if ownCertificate.contains(where: text.contains) { return clientCertificate }
    guard text.contains("certificate") else { return nil }
    return
      "set sslrootcert in the origin's URL to the file of the authority that signed the server's certificate, and use a "
      + "host name that the certificate lists; sslmode sets how the server is verified"
  }

  /// Beginnings of messages that libpq reports before it connects.
  private static let wrongURL = [
    "invalid ", "missing ", "could not match ", "end of string reached", "unexpected character",
    "forbidden value", "extra key/value separator", "IPv6 host address", "sslmode value",
  ]
  private static let ownCertificate = [
    "alert certificate required", "could not read certificate file",
    "certificate present, but not private key",
  ]
  private static let clientCertificate =
    "set sslcert and sslkey in the origin's URL to the files of this user's certificate and its key"

  private static func password(_ place: PostgresPlace) -> String {
    "give the right password in a password file (PGPASSFILE, ~/.pgpass) or PGPASSWORD"
      + (place.variable.map { ", or the whole URL in \($0)" } ?? "")
  }

  package static func grants(to user: String, _ schema: String, table: String? = nil) -> String {
    let tables = table.map { "\(quoted(schema)).\(quoted($0))" } ?? "ALL TABLES IN SCHEMA \(quoted(schema))"
    return
      "GRANT USAGE ON SCHEMA \(quoted(schema)) TO \(quoted(user)); GRANT SELECT ON \(tables) TO \(quoted(user));"
  }

  private static func hint(_ message: ServerMessage) -> String? {
    switch message.state {
    case "53300":
      "the server has no connection left: raise its max_connections, or this user's connection limit"
    case _ where message.isOfConnection && isOtherRole(message):
      "no host has the role that target_session_attrs in the origin's URL requires: check the hosts, or correct that setting"
    case _ where message.isOfConnection:
      "check that the server is running, and the host and port in the origin's URL"
    case "42P01":
      "create the table, correct origin.schema or a table's name in the model, or write a SELECT for its rows into the "
        + "model's TABLE.sql"
    case "57014": "a statement exceeded origin.statementTimeoutSeconds: raise it"
    case "40P01": "another session changes the table or its partitions: the next step tries again"
    case "2BP01": "drop or change the named objects first; nothing was removed"
    case "55P03": "another session changes this table: try again later, or raise origin.lockTimeoutSeconds"
    case "40001": conflict(message)
    case let state where state.isEmpty || ["08", "57"].contains(state.prefix(2)):
      "the connection ended; nothing was published, the next step tries again"
        + (message.isOfStandby ? ". A standby ends sessions that delay its replay: \(anyConflict)" : "")
    default: nil
    }
  }

  /// Whether the server has the wrong role. A failover may be in progress, so a retry may succeed.
  private static func isOtherRole(_ message: ServerMessage) -> Bool {
    let words = [
      "server is in hot standby mode", "server is not in hot standby mode", "session is read-only",
    ]
    return (words + ["session is not read-only"]).contains(where: message.text.contains)
  }

  // MARK: Conflicts with a standby's replay

  /// The detail is in the server's language. If it is not recognized, returns a remedy for all conflicts.
  private static func conflict(_ message: ServerMessage) -> String {
    if message.detail.contains("row versions") {
      return "the standby removed rows that were being read: \(feedback), or raise \(delay)"
    }
    if message.detail.contains("relation lock") {
      return
        "the primary locked a table that was being read, as TRUNCATE, ALTER TABLE, LOCK and sometimes VACUUM do: "
        + "raise \(delay)"
    }
    return "the standby ended a read that delayed its replay: \(anyConflict)"
  }

  private static let anyConflict = "\(feedback), which keeps rows that are being read, or raise \(delay)"
  private static let feedback = "set hot_standby_feedback = on there"
  private static let delay = "max_standby_streaming_delay there"
}
