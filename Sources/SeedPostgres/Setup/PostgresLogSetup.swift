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
    let draft = try PostgresLogDraft(reader, plans)
    // Another session creates the log.
    try reader.releaseLocks()
    return OriginLogDraft(logged: draft.logged, left: draft.left, statements: draft.statements)
  }

  package func removal() throws -> [String] {
    let schemas = try reader.rows("SELECT FROM pg_namespace WHERE nspname = $1", [names.schema])
    guard !schemas.isEmpty else { return [] }
    guard try PostgresLogCatalog.exists(names, reader) else {
      throw PostgresError.configuration(
        "the origin \(place.text) has a schema \"\(names.schema)\" that is no log: give it another name, because the log needs this one"
      )
    }
    return try names.removal(reader)
  }

  /// A script in one transaction, for the operator to run. The lock timeout is short, because writers queue behind a
  /// waiting lock.
  package func script(_ statements: [String]) -> [String] {
    ["BEGIN", "SET LOCAL lock_timeout = '\(place.lockTimeoutSeconds)s'"] + statements + ["COMMIT"]
  }

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
    if statement.hasPrefix("CREATE SCHEMA") {
      return .configuration(
        "the log of the origin \(place.text) was not made: \(message.text) (as user \(message.user)); let the database's owner run: "
          + "GRANT CREATE ON DATABASE … TO \(quoted(message.user)); or give --owner with a URL of a permitted user, or let one run "
          + "the SQL of '--print'")
    }
    return .configuration(
      "the log of the origin \(place.text) was not changed: \(message.text) (as user \(message.user)); give --owner with a URL of the "
        + "owner of the tables and the log, or let that user run the SQL of '--print'")
  }
}
