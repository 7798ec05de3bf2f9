import SeedFormat

/// The indexes of a file that only make queries fast: explicit ones that are not unique.
///
/// Unique ones are none of them: they refuse rows, and must stand before the rows come.
package struct SecondaryIndexes {
  struct Index {
    let name: String
    let table: String
    let sql: String
  }

  /// In the order in which they were made, so that a file built twice has the same bytes.
  let all: [Index]

  /// Those of the connection's main database.
  package init(_ connection: Connection) throws {
    all = try connection.rows(
      """
      SELECT s.name, s.tbl_name, s.sql FROM sqlite_schema AS s
      JOIN pragma_index_list(s.tbl_name) AS l ON l.name = s.name
      WHERE s.type = 'index' AND s.sql IS NOT NULL AND NOT l."unique" ORDER BY s.rowid
      """
    ).map { Index(name: $0[0].text, table: $0[1].text, sql: $0[2].text) }
  }

  /// Takes them away.
  package func drop(from connection: Connection) throws {
    for index in all { try connection.execute("DROP INDEX \(quoted(index.name))") }
  }

  /// Makes them, over the rows that are there.
  package func build(in connection: Connection) throws {
    for index in all { try connection.execute(index.sql) }
  }
}
