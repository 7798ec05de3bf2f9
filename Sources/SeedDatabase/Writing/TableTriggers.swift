import SeedFormat

/// The triggers of one table.
package struct TableTriggers {
  /// Their names, sorted.
  package let names: [String]
  private let connection: Connection
  private let table: TableSchema

  package init(_ connection: Connection, _ table: TableSchema) throws {
    (self.connection, self.table) = (connection, table)
    // A trigger has its table's name as it was written there.
    names = try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name
      """, .text(table.name)
    ).map(\.[0].text)
  }

  /// Every table that is written with this one, be it by way of triggers of triggers, which must be running on the
  /// connection. SQLite's own programs for such statements tell it.
  package func reachableTables() throws -> Set<String> {
    let sql = TableSQL(table)
    let programs = try [sql.insert, sql.update(RowShape(whole: table)), sql.delete].map {
      try connection.rows("EXPLAIN \($0)")
    }
    let roots = Set(programs.joined().compactMap(Self.writtenRoot))
    let tables = try connection.rows("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0")
    return Set(tables.filter { roots.contains($0[0]) }.map(\.[1].text))
  }

  /// The first page of a table or index that the instruction writes in the main database.
  private static func writtenRoot(_ instruction: [SeedValue]) -> SeedValue? {
    let main = SeedValue.integer(0)
    let (name, first, second, third) = (instruction[1].text, instruction[2], instruction[3], instruction[4])
    switch name {
    case "OpenWrite": return third == main ? second : nil
    case "Clear": return second == main ? first : nil
    default: return nil
    }
  }
}
