import SeedPublisher

struct SchemaCatalog {
  var tables: [Table] { order.compactMap { found[$0] } }
  private var found: [String: Table] = [:]
  private var order: [String] = []
  /// Relations without rows or without a key, with their kinds.
  private(set) var others: [(name: String, kind: String)] = []

  struct Table {
    let name: String
    /// By the session's user.
    let isReadable: Bool
    /// Whether row-level security hides rows from that user.
    let isGuarded: Bool
    /// Whether row-level security hides rows from other users only.
    let isExempt: Bool
    /// The quoted names of tables that inherit from it; nil without any.
    let heirs: String?
    fileprivate(set) var columns: [Column] = []
    fileprivate(set) var indexes: [Index] = []

    /// The names of these columns; nil if one is an expression.
    fileprivate func names(_ numbers: [Int]) -> [String]? {
      let names = numbers.compactMap { number in columns.first { $0.number == number }?.name }
      return names.count == numbers.count ? names : nil
    }
  }

  struct Column {
    fileprivate let number: Int
    let name: String
    let type: UInt32
    let isNotNull: Bool
  }

  struct Index {
    let name: String
    /// Empty for an index over expressions.
    let columns: [String]
    let isPrimary: Bool
    let isUnique: Bool
    /// Whether it is a B-tree over columns of all rows.
    let isPlain: Bool
  }

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) throws(PostgresError) {
    self.connection = connection
    try readRelations()
    try readColumns()
    try readIndexes()
  }

  /// Excludes objects of extensions. Partitions belong to their table.
  private func rows(_ columns: String, _ rest: String) throws(PostgresError) -> [[String?]] {
    try connection.rows(
      """
      SELECT c.oid, \(columns) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1 \(rest) \
      AND NOT c.relispartition AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
      """, [connection.place.schema])
  }

  private mutating func readRelations() throws(PostgresError) {
    let rows = try self.rows(
      """
      c.relname, c.relkind, has_table_privilege(c.oid, 'SELECT'), row_security_active(c.oid), \
      c.relrowsecurity AND NOT row_security_active(c.oid), \
      (SELECT string_agg('"' || h.relname || '"', ', ' ORDER BY h.relname) FROM pg_inherits i \
      JOIN pg_class h ON h.oid = i.inhrelid AND NOT h.relispartition WHERE i.inhparent = c.oid)
      """,
      "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')")
    for row in rows.sorted(by: { number($0, 0) < number($1, 0) }) {
      let (id, name) = (row[0] ?? "", row[1] ?? "")
      if let kind = Self.kinds[row[2] ?? ""] {
        others.append((name, kind))
        continue
      }
      order.append(id)
      found[id] = Table(
        name: name, isReadable: row[3] == "t", isGuarded: row[4] == "t", isExempt: row[5] == "t",
        heirs: row[6])
    }
  }

  private static let kinds = ["v": "view", "m": "materialized view", "f": "foreign table"]

  private mutating func readColumns() throws(PostgresError) {
    let rows = try self.rows(
      "a.attnum, a.attname, a.atttypid, a.attnotnull",
      "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE true")
    for row in rows.sorted(by: { number($0, 1) < number($1, 1) }) {
      found[row[0] ?? ""]?.columns.append(
        Column(
          number: number(row, 1), name: row[2] ?? "", type: UInt32(number(row, 3)), isNotNull: row[4] == "t"))
    }
  }

  private mutating func readIndexes() throws(PostgresError) {
    let rows = try self.rows(
      """
      i.relname, x.indisprimary, x.indisunique, x.indpred IS NULL AND x.indexprs IS NULL AND m.amname = 'btree' \
      AND x.indisvalid AND x.indnatts = x.indnkeyatts, x.indkey
      """,
      """
      JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam \
      WHERE true
      """)
    for row in rows.sorted(by: { ($0[1] ?? "") < ($1[1] ?? "") }) {
      guard let table = found[row[0] ?? ""] else { continue }
      let numbers = (row[5] ?? "").split(separator: " ").compactMap { Int($0) }
      found[row[0] ?? ""]?.indexes.append(
        Index(
          name: row[1] ?? "", columns: table.names(numbers) ?? [], isPrimary: row[2] == "t",
          isUnique: row[3] == "t", isPlain: row[4] == "t"))
    }
  }
}

private func number(_ row: [String?], _ index: Int) -> Int { row[index].flatMap { Int($0) } ?? 0 }

extension OriginOutline {
  init(_ catalog: SchemaCatalog) {
    // Excludes indexes over the key in another order, which are useless to clients.
    let plain = catalog.tables.flatMap { table in
      let key = table.indexes.first(where: \.isPrimary)?.columns
      return table.indexes.filter { $0.isPlain && $0.columns != key }.map { ($0.name, table.name) }
    }
    let tables = catalog.tables.map { ($0.name, $0.columns.map(\.name)) }
    self.init(
      tables: Dictionary(tables) { first, _ in first }, indexes: plain.map(\.0),
      owners: Dictionary(plain) { first, _ in first })
  }
}
