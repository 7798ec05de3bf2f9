import SeedDatabase
package import SeedServer

/// Makes and removes the log of a PostgreSQL database.
package struct PostgresLogSetup {
  private let place: PostgresPlace
  private let owner: PostgresPlace
  private let reader: PostgresConnection
  private let names: LogNames

  /// Looks as the user who publishes; nothing is written yet. The owner's place is the same database as somebody who may.
  package init(_ place: PostgresPlace, owner: PostgresPlace? = nil) throws {
    (self.place, self.owner, names) = (place, owner ?? place, LogNames(of: place.schema))
    reader = try PostgresConnection(place)
    try reader.begin()
  }

  /// The statements that make a log of what the plans read, and the tables that get one.
  package func draft(_ plans: [SeriesPlan]) throws -> PostgresLogDraft {
    let draft = try PostgresLogDraft(PostgresLogReader(reader), plans)
    // Who makes the log is another session.
    try reader.releaseLocks()
    return draft
  }

  /// The statements that take the log away; none where there is none.
  package func removal() throws -> [String] {
    guard try hasSchema() else { return [] }
    guard try PostgresLogCatalog.exists(names, reader) else {
      throw PostgresError.foreignSchema(place: place.text, schema: names.schema)
    }
    return try PostgresLogParts(names, reader).removal
  }

  private func hasSchema() throws(PostgresError) -> Bool {
    try !reader.rows("SELECT FROM pg_namespace WHERE nspname = $1", [names.schema]).isEmpty
  }

  /// A script of statements for somebody else, in one transaction.
  package func script(_ statements: [String]) -> [String] {
    [Self.begin] + settings + statements + ["COMMIT"]
  }

  private static let begin = "BEGIN"

  /// Writers wait behind a lock that is waited for.
  private var settings: [String] { ["SET LOCAL lock_timeout = '\(place.lockTimeoutSeconds)s'"] }

  /// Runs statements in one transaction, all or none.
  package func run(_ statements: [String]) throws {
    let connection = try PostgresConnection(owner)
    for statement in script(statements) {
      do throws(PostgresError) {
        try connection.rows(statement)
      } catch { throw withRemedy(error, of: statement) }
    }
  }

  /// Rights that are missing here are not those of reading.
  private func withRemedy(_ error: PostgresError, of statement: String) -> PostgresError {
    guard case .server(_, _, let message) = error, message.state == "42501" else { return error }
    return statement.hasPrefix("CREATE SCHEMA")
      ? .noCreation(place: place.text, user: message.user, reason: message.text)
      : .notOwner(place: place.text, user: message.user, reason: message.text)
  }
}
