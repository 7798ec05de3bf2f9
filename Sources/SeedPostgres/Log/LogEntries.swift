import SeedDatabase
import SeedFormat
import SeedServer

/// The entries of logs that a step has not seen yet, in SQL.
struct LogEntries {
  let condition: String

  /// The index on transactions leads to those that were not all over; of these the snapshot tells.
  init(since snapshot: LogSnapshot, isPast: String) {
    let old = "\(snapshot.text.literal)::pg_snapshot"
    condition =
      "\(isPast) AND xid >= '\(snapshot.floor)'::xid8 AND NOT pg_visible_in_snapshot(xid, \(old))"
  }

  /// The keys, once each, called as in the table.
  func keys(of keys: [LogKey], in log: String) -> String {
    let columns = keys.indices.map { "k\($0)" }.joined(separator: ", ")
    let named = keys.enumerated().map { "k\($0.offset)::\($0.element.cast) AS \(quoted($0.element.name))" }
    return
      "(SELECT \(named.joined(separator: ", ")) FROM (SELECT DISTINCT \(columns) FROM \(log) \(condition)) AS entries)"
  }

  /// The rows of a table that have these keys. OFFSET keeps the planner from any way but one look into the index for each key:
  /// it knows little of a table that changes all the time, and might read the whole other one.
  func rows(of table: String, _ keys: [LogKey], in log: String) -> String {
    let matches = keys.map { "seedbank_row.\(quoted($0.name)) = seedbank_keys.\(quoted($0.name))" }
    return
      "(SELECT seedbank_found.* FROM \(self.keys(of: keys, in: log)) AS seedbank_keys CROSS JOIN LATERAL (SELECT seedbank_row.* "
      + "FROM \(table) AS seedbank_row WHERE \(matches.joined(separator: " AND ")) OFFSET 0) AS seedbank_found)"
  }
}

/// Reads keys as the client has them.
struct LogKeyReader {
  private let connection: PostgresConnection
  private let columns: [ProjectedColumn]
  private let fitter: AffinityFitter
  private let table: TableSchema

  init(
    _ connection: PostgresConnection, _ columns: [ProjectedColumn], _ fitter: AffinityFitter,
    _ table: TableSchema
  ) {
    (self.connection, self.columns, self.fitter, self.table) = (connection, columns, fitter, table)
  }

  /// In the client's order; `nil` where there are too many, or where an entry stands for the whole table.
  func read(_ list: String, most: Int) throws -> [[SeedValue]]? {
    let values = columns.map(\.sql).joined(separator: ", ")
    let sql =
      "COPY (SELECT \(values) FROM \(list) AS seedbank_rows LIMIT \(most + 1)) TO STDOUT (FORMAT binary)"
    let reader = CopyReader(connection, sql, columns: columns.count)
    var keys: [[SeedValue]] = []
    var isWhole = false
    // To the end, for what is left of a COPY is cancelled.
    while try reader.next() {
      guard let key = try key(reader.row) else {
        isWhole = true
        continue
      }
      keys.append(key)
    }
    guard !isWhole, keys.count <= most else { return nil }
    let order = KeyOrder(table)
    keys.sort { order.compare($0, $1) < 0 }
    return zip(keys, keys.dropFirst()).contains { $0 == $1 } ? nil : keys
  }

  private func key(_ row: BinaryRow) throws -> [SeedValue]? {
    var key: [SeedValue] = []
    for (index, column) in columns.enumerated() {
      guard let field = row.fields[index], let value = try? column.form.value(field) else { return nil }
      key.append(try fitter.fit(value.owned, to: table.columns[table.key[index]].affinity))
    }
    return key
  }
}

extension ProjectedColumn {
  /// Whether different values stay so in that column of a client, and in the order in which PostgreSQL sorts them.
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
