import SeedDatabase
import SeedFormat

/// Finds what changed in a series: every table of the working copy against the origin's projection.
struct SeriesDiff: ~Copyable {
  /// The changes; empty where nothing did.
  private(set) var delta: DeltaWriter
  /// The sums that the series had.
  private(set) var before: [String: TableSum] = [:]
  /// The sums that the series has after the changes.
  private(set) var sums: [String: TableSum] = [:]

  /// Compares; throws ``CopyDamaged`` where the copy's rows are not those that it has stored the sums of.
  init(
    _ origin: SQLiteOrigin, _ copy: WorkingCopy, _ plan: SeriesPlan, spill: any DeltaSpill
  ) throws {
    delta = DeltaWriter(spill: spill)
    before = try copy.sums()
    for table in plan.schema.tables {
      let (found, after) = try merge(table, origin, copy, plan)
      guard before[table.name] == found else {
        throw CopyDamaged(table: table.name, reason: "its rows are not those of its sum")
      }
      sums[table.name] = after
    }
  }

  /// The digest that the series has after the changes.
  var digest: SHA256Digest { StateDigest.of(sums) }

  private mutating func merge(
    _ table: TableSchema, _ origin: SQLiteOrigin, _ copy: WorkingCopy, _ plan: SeriesPlan
  ) throws -> (before: TableSum, after: TableSum) {
    let projection = plan.projection(table)
    do {
      return try merge(table, try origin.rows(table, projection), copy)
    } catch is OutOfOrder {
      delta.abandonTable()
      let staged = try origin.stagedRows(table, projection, schemaSQL: plan.newest.schemaSQL)
      return try merge(table, staged, copy)
    }
  }

  private mutating func merge(
    _ table: TableSchema, _ rows: KeyedRows, _ copy: WorkingCopy
  ) throws -> (before: TableSum, after: TableSum) {
    delta.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
    var merge = TableMerge(table)
    try merge.run(rows, try copy.rows(table), into: &delta)
    return (merge.copySum, merge.projectedSum)
  }
}

/// A working copy that cannot be read, or whose rows are not those of its sums: edited by hand, or damaged.
struct CopyDamaged: Error, CustomStringConvertible {
  /// `nil` where only the statement that failed is known, which the reason names.
  let table: String?
  let reason: String

  init(table: String, reason: String) {
    self.table = table
    self.reason = reason
  }

  /// What a change met in the copy; `nil` where the copy is not to blame. A search table that was emptied by hand says
  /// of itself that it is malformed.
  init?(_ error: any Error) {
    let damages = [ResultCode.corrupt, ResultCode.notADatabase]
    guard let error = error as? DatabaseError, damages.contains(error.primaryCode) else { return nil }
    (table, reason) = (nil, "\(error)")
  }

  var description: String {
    table.map { "its table \"\($0)\" was damaged: \(reason)" } ?? "it was damaged: \(reason)"
  }
}
