import SeedFormat

/// Verifies a seed from its content alone: checks the structure and the references, and recomputes the digest.
package struct SeedCheck {
  private let connection: Connection
  private let schema: DatabaseSchema

  package init(_ connection: Connection, _ schema: DatabaseSchema) {
    self.connection = connection
    self.schema = schema
  }

  private static let mostLines = 3
  /// A larger page cache for `integrity_check`, which reads pages in random order.
  private static let cacheKibibytes = 48 * 1024

  package func run() throws {
    try checkStructure()
    try checkContent()
  }

  /// Runs `quick_check`, and also `integrity_check` for tables whose indexes ``checkContent()`` does not compare.
  /// `integrity_check` looks up each row in each index in random order. ``TableCheck`` is several times faster for
  /// large tables, because it reads the table and each index sequentially.
  package func checkStructure() throws { try connection.boundingExpressions(checkTables) }

  private func checkTables() throws {
    try ask(.quick)
    let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    let rest = try tables.map(\.[0].text).filter { try !isCompared($0) }
    guard !rest.isEmpty else { return }
    let usual = try connection.integer("PRAGMA cache_size") ?? 0
    try connection.execute("PRAGMA cache_size = -\(Self.cacheKibibytes)")
    for name in rest { try ask(.table(name)) }
    try connection.execute("PRAGMA cache_size = \(usual)")
  }

  private func ask(_ scope: StructureCheck.Scope) throws {
    let lines = try StructureCheck(connection).complaints(scope)
    guard !lines.isEmpty else { return }
    let rest = lines.count - Self.mostLines
    let shown = lines.prefix(Self.mostLines).joined(separator: "; ")
    throw NotASeed("\(scope.name) reports: \(shown)" + (rest > 0 ? "; and \(rest) more lines" : ""))
  }

  private func isCompared(_ name: String) throws -> Bool {
    guard let table = schema.tables.first(where: { $0.name == name }) else { return false }
    return try TableCheck(connection, table) != nil
  }

  /// Checks that search tables match their content. The connection must be writable, because FTS5 runs this
  /// check as a special INSERT, although it changes nothing.
  package func checkSearchTables() throws {
    for search in schema.searchTables {
      try connection.boundingExpressions(areComputed: isComputed(search)) { try check(search) }
    }
  }

  /// Like ``checkSearchTables()``, but for a file that must not be written: if the file has search tables, checks a
  /// temporary copy of it.
  package func checkSearchTablesOfCopy() throws {
    guard !schema.searchTables.isEmpty else { return }
    try SeedCheck(connection.temporaryCopy(), schema).checkSearchTables()
  }

  /// Whether the search table indexes a generated column of its content table.
  private func isComputed(_ search: SearchTable) throws -> Bool {
    let generated = Set((schema.table(search.content)?.generated ?? []).map(\.foldedName))
    let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", .text(search.name))
    return columns.contains { generated.contains($0[0].text.foldedName) }
  }

  /// Checks the references, and compares the rows with the indexes, the stored sums and the digest.
  package func checkContent() throws {
    try connection.boundingExpressions(ReferenceCheck(connection, schema).run)
    let sums = try sums { try TableCheck(connection, $0)?.run() ?? TableSum(of: $0, connection) }
    guard try SeedTables.sums(connection) == sums else {
      throw NotASeed("the rows do not match the stored sums")
    }
    guard try SeedTables.meta(connection).digest == StateDigest.of(sums) else {
      throw NotASeed("the rows do not match the stored digest")
    }
  }

  package func sums() throws -> [String: TableSum] { try sums { try TableSum(of: $0, connection) } }

  private func sums(_ sum: (TableSchema) throws -> TableSum) rethrows -> [String: TableSum] {
    Dictionary(uniqueKeysWithValues: try schema.tables.map { ($0.name, try sum($0)) })
  }

  private func check(_ search: SearchTable) throws {
    let name = quoted(search.name)
    do {
      try connection.execute("INSERT INTO \(name)(\(name), rank) VALUES ('integrity-check', 1)")
    } catch {
      guard error.primaryCode == ResultCode.corrupt else { throw error }
      throw NotASeed("the search table \"\(search.name)\" does not match its content")
    }
  }
}
