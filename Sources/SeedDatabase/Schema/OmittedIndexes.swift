package import SeedFormat

/// Secondary indexes that a snapshot omits. Its table `seedbank_index` contains their SQL and statistics; the client
/// builds the indexes and drops this table.
package enum OmittedIndexes {
  package struct Entry: Hashable, Sendable {
    package let name: String
    package let table: String
    package let sql: String
    /// The index's `sqlite_stat1` entry: the row count, and the average number of rows per value.
    package let statistics: String?
  }

  /// Drops the secondary indexes of an analysed file and stores their definitions.
  package static func omit(from connection: Connection) throws {
    try connection.transaction {
      try connection.execute(
        """
        \(ReservedTable.indexSQL);
        INSERT INTO \(ReservedTable.index)(name, "table", sql, statistics)
        SELECT s.name, s.tbl_name, s.sql, (SELECT stat FROM sqlite_stat1 WHERE idx = s.name AND tbl = s.tbl_name)
        \(SecondaryIndexes.source)
        """)
      try SecondaryIndexes(connection).drop(from: connection)
    }
  }

  /// The omitted indexes in build order; empty if the file has all its indexes.
  package static func entries(of connection: Connection) throws -> [Entry] {
    guard try areIn(connection) else { return [] }
    return try connection.rows(
      #"SELECT name, "table", sql, statistics FROM \#(ReservedTable.index) ORDER BY position"#
    ).map { row in
      Entry(name: row[0].text, table: row[1].text, sql: row[2].text, statistics: row[3].textIfAny)
    }
  }

  /// Builds all omitted indexes or none and returns the file's schema. First compares the schema with the `signed`
  /// hash, which covers the indexes' SQL.
  package static func build(in connection: Connection, signed hash: SHA256Digest) throws -> DatabaseSchema {
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == hash else { throw NotASeed("its schema differs from the signed one") }
    guard try areIn(connection) else { return schema }
    try connection.transaction {
      let entries = try entries(of: connection)
      let room = try connection.room(forIndexes: entries.count)
      for entry in entries { try build(entry, connection, growingTo: room) }
      try connection.execute("DROP TABLE \(ReservedTable.index)")
    }
    return schema
  }

  /// Builds the indexes of a schema over empty tables, as a client would, and returns their number. Throws
  /// ``ForeignDefinition`` for an index that a client would reject.
  @discardableResult
  package static func rehearse(_ schema: String) throws -> Int {
    let connection = try Connection("schema", .memory)
    try connection.run(script: schema)
    try connection.execute("ANALYZE")
    try omit(from: connection)
    let count = try entries(of: connection).count
    _ = try build(in: connection, signed: SchemaReader(connection).schema().hash)
    return count
  }

  private static func build(_ entry: Entry, _ connection: Connection, growingTo size: Int64) throws {
    try connection.define(entry.sql, .index(name: entry.name, table: entry.table), growingTo: size)
    // In a forged `sqlite_stat1`, SQLite would compute a CHECK or a generated column for each entry.
    guard let statistics = entry.statistics,
      try connection.has("sqlite_stat1", madeBy: "CREATE TABLE sqlite_stat1(tbl,idx,stat)")
    else { return }
    try connection.execute(
      "INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES (?, ?, ?)", .text(entry.table), .text(entry.name),
      .text(statistics))
  }

  private static func areIn(_ connection: Connection) throws -> Bool {
    try connection.has(ReservedTable.index, madeBy: ReservedTable.indexSQL)
  }
}

/// Explicit indexes that are not unique. A unique index rejects rows, so it must exist before rows are written.
package struct SecondaryIndexes {
  private let all: [(name: String, sql: String)]

  /// In creation order, so that two builds of a file have the same bytes.
  fileprivate static let source = """
    FROM sqlite_schema AS s JOIN pragma_index_list(s.tbl_name) AS l ON l.name = s.name
    WHERE s.type = 'index' AND s.sql IS NOT NULL AND NOT l."unique" ORDER BY s.rowid
    """

  package init(_ connection: Connection) throws {
    all = try connection.rows("SELECT s.name, s.sql \(Self.source)").map { ($0[0].text, $0[1].text) }
  }

  package var isEmpty: Bool { all.isEmpty }

  package func drop(from connection: Connection) throws {
    for index in all { try connection.execute("DROP INDEX \(quoted(index.name))") }
  }

  package func build(in connection: Connection) throws {
    for index in all { try connection.execute(index.sql) }
  }
}
