import SeedFormat
import Support
import Testing

@testable import SeedDatabase

/// SQLite 3.40 reports NULLs that do not exist. Real problems must still be found.
@Suite struct StructureCheckTests {
  /// Tables whose last column belongs to the key, followed by NOT NULL columns; names with dots and quotes.
  static let schemas = [
    "CREATE TABLE t(v TEXT, d TEXT NOT NULL, k INTEGER, PRIMARY KEY(k)) WITHOUT ROWID",
    "CREATE TABLE t(d TEXT NOT NULL, v ANY, k INTEGER NOT NULL, PRIMARY KEY(k)) STRICT, WITHOUT ROWID",
    #"CREATE TABLE "t.x"("a.""d" TEXT NOT NULL, v, l, k INTEGER, PRIMARY KEY(k, l)) WITHOUT ROWID"#,
  ]

  /// More than the number of lines after which SQLite stops.
  private static let rows = 300

  private func database(_ schema: String) throws -> Connection {
    let connection = try Connection("test", .memory)
    try connection.run(script: schema)
    for table in try SchemaReader(connection).schema().tables {
      let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
      for number in 1...Int64(Self.rows) {
        try connection.cached("INSERT INTO \(quoted(table.name)) VALUES (\(marks))").run(
          table.columns.map { column in
            switch column.name {
            case "k", "l": .integer(number)
            case "v": .null
            default: .text("text \(number)")
            }
          })
      }
    }
    return connection
  }

  private func answers(_ connection: Connection, _ table: String = "t") throws -> [[String]] {
    let check = StructureCheck(connection)
    return try [.quick, .whole, .table(table)].map { try check.complaints($0) }
  }

  @Test(arguments: schemas) func `a sound table has no findings`(_ schema: String) throws {
    let connection = try database(schema)
    let table = try SchemaReader(connection).schema().tables[0].name
    #expect(try answers(connection, table) == [[], [], []])
  }

  @Test(arguments: [" WITHOUT ROWID", ""])
  func `a real NULL is found among false ones`(_ end: String) throws {
    let connection = try database(
      "CREATE TABLE t(v, d, e TEXT NOT NULL, k INTEGER, PRIMARY KEY(k))\(end)")
    try connection.execute("UPDATE t SET d = NULL WHERE k = 250")
    try connection.writeSchema("UPDATE sqlite_schema SET sql = replace(sql, 'd,', 'd TEXT NOT NULL,')")
    for answer in try answers(connection) { #expect(Set(answer) == ["NULL value in t.d"]) }
  }

  @Test func `other damage is found among false NULLs`() throws {
    let connection = try database(
      """
      CREATE TABLE t(v TEXT, d TEXT NOT NULL, k INTEGER, PRIMARY KEY(k)) WITHOUT ROWID;
      CREATE INDEX part ON t(d) WHERE k > 7; CREATE INDEX other ON t(d) WHERE k > 290
      """)
    try connection.writeSchema(
      """
      UPDATE sqlite_schema SET rootpage = (SELECT sum(rootpage) FROM sqlite_schema WHERE type = 'index'
        AND name IN ('part', 'other')) - rootpage WHERE name IN ('part', 'other')
      """)
    let answers = try answers(connection)
    #expect(answers[0] == [])
    for answer in answers.dropFirst() { #expect(answer.contains { $0.contains("index part") }, "\(answer)") }
  }

  @Test func `a table that only SQLite can compare passes with false NULLs`() throws {
    let connection = try database(
      """
      CREATE TABLE t(v TEXT, d TEXT NOT NULL, k INTEGER, PRIMARY KEY(k)) WITHOUT ROWID;
      CREATE INDEX part ON t(d) WHERE k > 7
      """)
    try SeedCheck(connection, SchemaReader(connection).schema()).checkStructure()
  }
}
