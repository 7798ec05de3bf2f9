import SeedFormat

/// Chooses a table's key: its primary key, or else a UNIQUE constraint over NOT NULL columns.
struct TableKeys {
  private let connection: Connection
  private let table: String
  private let columns: [ColumnSchema]
  private let listed: SchemaReader.Listed

  struct Choice {
    let columns: [Int]
    let collations: [Collation]
    /// Whether other unique indexes stand beside the chosen one.
    let hasOthers: Bool
  }

  init(_ connection: Connection, _ table: String, _ columns: [ColumnSchema], _ listed: SchemaReader.Listed) {
    self.connection = connection
    self.table = table
    self.columns = columns
    self.listed = listed
  }

  func choose() throws -> Choice {
    let indexes = try uniqueIndexes()
    if let primary = indexes.first(where: { $0.origin == "pk" }) {
      return try choice(primary, others: indexes.count > 1)
    }
    if let rowid = try rowidAlias() {
      return Choice(columns: [rowid], collations: [.binary], hasOthers: !indexes.isEmpty)
    }
    // A constraint ("u") goes before an index made later ("c"): it cannot be dropped alone.
    let usable = indexes.filter { !$0.isPartial && isNotNull($0) }
    guard let unique = usable.first(where: { $0.origin == "u" }) ?? usable.first else {
      throw SchemaProblem.noKey(table: table)
    }
    return try choice(unique, others: indexes.count > 1)
  }

  private struct UniqueIndex {
    let name: String
    let origin: String
    let isPartial: Bool
    /// Column names with their collations; a `nil` name is an expression.
    let parts: [(column: String?, collation: String)]
  }

  private func uniqueIndexes() throws -> [UniqueIndex] {
    try connection.rows(
      #"SELECT name, origin, partial FROM pragma_index_list(?) WHERE "unique" ORDER BY name"#, .text(table)
    ).map { row in
      let parts = try connection.rows(
        "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", row[0])
      return UniqueIndex(
        name: row[0].text, origin: row[1].text, isPartial: row[2] == .integer(1),
        parts: parts.map { ($0[0] == .null ? nil : $0[0].text, $0[1].text) })
    }
  }

  /// An INTEGER PRIMARY KEY of a rowid table has no index of its own: it is the rowid.
  private func rowidAlias() throws -> Int? {
    let names = try connection.rows(
      "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk", .text(table)
    ).map { $0[0].text }
    guard names.count == 1 else { return nil }
    return columns.firstIndex { $0.name == names[0] }
  }

  private func isNotNull(_ index: UniqueIndex) -> Bool {
    index.parts.allSatisfy { part in columns.contains { $0.name == part.column && $0.isNotNull } }
  }

  private func choice(_ index: UniqueIndex, others: Bool) throws -> Choice {
    let positions = index.parts.compactMap { part in columns.firstIndex { $0.name == part.column } }
    // A key over a generated column could not be sent.
    guard positions.count == index.parts.count else { throw SchemaProblem.noKey(table: table) }
    let collations = try zip(positions, index.parts).map { position, part in
      guard let collation = Collation(rawValue: part.collation.uppercased()) else {
        throw SchemaProblem.customCollation(
          table: table, column: columns[position].name, collation: part.collation)
      }
      return collation
    }
    return Choice(columns: positions, collations: collations, hasOthers: others)
  }
}
