import SeedDatabase
package import SeedPublisher

package struct PostgresLogSetup: OriginLogMaker {
  private let place: PostgresPlace
  private let owner: PostgresPlace
  private let reader: PostgresConnection
  private let names: LogNames

  /// Connects as the publishing user and writes nothing. `owner`: the same database for a user who may create the log.
  package init(_ place: PostgresPlace, owner: PostgresPlace? = nil) throws {
    (self.place, self.owner, names) = (place, owner ?? place, LogNames(of: place.schema))
    reader = try PostgresConnection(place)
    try reader.begin()
  }

  package func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft {
    let draft = try PostgresLogDraft(PostgresLogReader(reader), plans)
    // Another session creates the log.
    try reader.releaseLocks()
    return OriginLogDraft(logged: draft.logged, left: draft.left, statements: draft.statements)
  }

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

  /// A script in one transaction, for the operator to run.
  package func script(_ statements: [String]) -> [String] {
    [Self.begin] + settings + statements + ["COMMIT"]
  }

  private static let begin = "BEGIN"

  /// A short lock timeout, because writers queue behind a waiting lock.
  private var settings: [String] { ["SET LOCAL lock_timeout = '\(place.lockTimeoutSeconds)s'"] }

  package func run(_ statements: [String]) throws {
    let connection = try PostgresConnection(owner)
    for statement in script(statements) {
      do throws(PostgresError) {
        try connection.rows(statement)
      } catch { throw withRemedy(error, of: statement) }
    }
  }

  /// Missing rights here are those of an owner, not of a reader.
  private func withRemedy(_ error: PostgresError, of statement: String) -> PostgresError {
    guard case .server(_, _, let message) = error, message.state == "42501" else { return error }
    return statement.hasPrefix("CREATE SCHEMA")
      ? .noCreation(place: place.text, user: message.user, reason: message.text)
      : .notOwner(place: place.text, user: message.user, reason: message.text)
  }
}
