import SeedDatabase
import SeedFormat

/// Creates and removes an origin's log. No other code writes to an origin.
package struct SQLiteLogSetup: OriginLogMaker {
  private let path: String
  private let connection: Connection

  /// Opens the file for writing, but does not write yet.
  package init(_ path: String) throws {
    try OriginError.checkIsFile(path)
    self.path = path
    connection = try Self.reading(path) {
      let connection = try Connection(path, .own)
      // SQLite reads the file only now, and reports an error if the file is not a database.
      _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
      return connection
    }
  }

  package func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft {
    let draft = try Self.reading(path) {
      let taken = try connection.rows(
        "SELECT name FROM sqlite_schema WHERE name = ? COLLATE NOCASE", .text(LogParts.registry))
      guard try taken.isEmpty || LogParts(connection).hasRegistry else {
        throw OriginError.configuration(
          "the origin \(path) has a table \"\(LogParts.registry)\" that is not a log: rename that table, because the log "
            + "needs its name")
      }
      return try SQLiteLogDraft(connection)
    }
    let logged = draft.logged.map { ($0.table, $0.keys, Self.remark(on: $0.table, keys: $0.keys, plans)) }
    return OriginLogDraft(logged: logged, left: draft.left, statements: draft.statements)
  }

  /// Returns why a write to a table causes a comparison of all rows; `nil` if the log's keys find the changed rows.
  private static func remark(on table: String, keys: [String], _ plans: [SeriesPlan]) -> String? {
    var remark = "clients get its rows through a view or a SELECT"
    for (client, projection) in plans.flatMap({ plan in plan.schema.tables.map { ($0, plan.projection($0)) } }
    ) {
      guard let select = PlainSelect(client, projection), select.table == table.foldedName else { continue }
      let columns = client.keyNames.map { select.column($0) ?? $0 }
      guard Set(columns) == Set(keys.map { $0.foldedName }) else {
        remark = "the clients use another key, \(client.keyNames.map(quoted).joined(separator: ", "))"
        continue
      }
      guard let other = client.keyCollations.first(where: { $0 != .binary }) else { return nil }
      remark = "the clients compare its key with \(other.rawValue), but the log compares bytes"
    }
    return remark
  }

  package func removal() throws -> [String] {
    try Self.reading(path) { try SQLiteLogDraft.removal(connection) }
  }

  package func script(_ statements: [String]) -> [String] { ["BEGIN IMMEDIATE"] + statements + ["COMMIT"] }

  package func run(_ statements: [String]) throws {
    try Self.reading(path) {
      try connection.transaction { for statement in statements { try connection.execute(statement) } }
    }
  }

  private static func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      if error.primaryCode == ResultCode.busy {
        throw OriginError.locked(path: path, seconds: Self.waitSeconds)
      }
      if error.primaryCode == ResultCode.readOnly {
        throw OriginError.data(
          "the origin \(path) cannot be written to: \(error.message); run this as a user with write access to the file and its folder"
        )
      }
      throw OriginError.reading(path, error)
    }
  }

  private static let waitSeconds = 10
}
