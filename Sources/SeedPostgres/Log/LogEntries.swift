import SeedDatabase
import SeedFormat

struct LogEntries {
  let condition: String

  /// Selects entries of transactions unfinished in the snapshot, whose `floor` allows an index search on `xid`.
  init(since snapshot: LogSnapshot, isPast: String) {
    let old = "\(snapshot.text.literal)::pg_snapshot"
    condition = "\(isPast) AND xid >= '\(snapshot.floor)'::xid8 AND NOT pg_visible_in_snapshot(xid, \(old))"
  }

  func keys(of keys: [LogKey], in log: String) -> String {
    let columns = keys.indices.map { "k\($0)" }.joined(separator: ", ")
    let named = keys.enumerated().map { "k\($0.offset)::\($0.element.cast) AS \(quoted($0.element.name))" }
    return
      "(SELECT \(named.joined(separator: ", ")) FROM (SELECT DISTINCT \(columns) FROM \(log) \(condition)) AS entries)"
  }

  /// Selects only these columns of the rows, because the user may lack the right to others. OFFSET makes the planner
  /// look up each key by index. Otherwise, poor statistics for a changing log might make it read the whole table.
  func rows(of table: String, _ columns: [String], _ keys: [LogKey], in log: String) -> String {
    let columns = columns.map { "seedbank_row.\(quoted($0))" }.joined(separator: ", ")
    let matches = keys.map { "seedbank_row.\(quoted($0.name)) = seedbank_keys.\(quoted($0.name))" }
    return
      "(SELECT seedbank_found.* FROM \(self.keys(of: keys, in: log)) AS seedbank_keys CROSS JOIN LATERAL (SELECT \(columns) "
      + "FROM \(table) AS seedbank_row WHERE \(matches.joined(separator: " AND ")) OFFSET 0) AS seedbank_found)"
  }
}

extension PostgresLog {
  /// The maximum number of keys. Above it, a comparison of all rows is cheaper, or the keys would take too much memory.
  static let mostKeys = 100_000

  /// Returns the keys of a list in SQLite's key order. Returns nil if there are too many, if an entry covers the whole
  /// table, if two keys are equal on clients, or if a logged enum value was renamed.
  func keys(in list: String, _ columns: [ProjectedColumn], of table: TableSchema) throws -> [[SeedValue]]? {
    do {
      return try storedKeys(in: list, columns, of: table)
    } catch PostgresError.server(_, _, let message) where message.isOfValue { return nil }
  }

  private func storedKeys(
    in list: String, _ columns: [ProjectedColumn], of table: TableSchema
  ) throws -> [[SeedValue]]? {
    let values = columns.map(\.sql).joined(separator: ", ")
    let sql =
      "COPY (SELECT \(values) FROM \(list) AS seedbank_rows LIMIT \(Self.mostKeys + 1)) TO STDOUT (FORMAT binary)"
    let reader = CopyReader(connection, sql, columns: columns.count)
    var keys: [[SeedValue]] = []
    var isWhole = false
    // Reads to the end, because an unfinished COPY has to be cancelled.
    while try reader.next() {
      guard let key = try key(reader.row, columns, of: table) else {
        isWhole = true
        continue
      }
      keys.append(key)
    }
    guard !isWhole, keys.count <= Self.mostKeys else { return nil }
    let order = KeyOrder(table)
    keys.sort { order.compare($0, $1) < 0 }
    return zip(keys, keys.dropFirst()).contains { $0 == $1 } ? nil : keys
  }

  private func key(
    _ row: BinaryRow, _ columns: [ProjectedColumn], of table: TableSchema
  ) throws -> [SeedValue]? {
    var key: [SeedValue] = []
    for (index, column) in columns.enumerated() {
      guard let field = row.fields[index], let value = try? column.form.value(field) else { return nil }
      key.append(try fitter.fit(value.owned, to: table.columns[table.key[index]].affinity))
    }
    return key
  }
}

extension ProjectedColumn {
  /// Whether values stay distinct and keep PostgreSQL's order in the client's column.
  func keepsOrder(in column: ColumnSchema) -> Bool {
    switch form {
    case .bool, .integer, .digits(.integer), .time(.integer):
      column.affinity != .text && column.affinity != .real
    case .text: column.affinity == .text || column.affinity == .blob
    case .blob: true
    case .real, .digits, .time, .spelled: false
    }
  }
}
