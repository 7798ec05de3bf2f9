import SeedDatabase
import SeedFormat

/// Compares one table's projected rows with the working copy's, both in key order, and writes the difference.
struct TableMerge: ~Copyable {
  private let table: TableSchema
  private let order: KeyOrder
  private var hasher = RowHasher()
  /// The sum of the copy's rows as they are, to be compared with the one that the copy has stored.
  private(set) var copySum = TableSum()
  /// The sum of the projected rows.
  private(set) var projectedSum = TableSum()

  init(_ table: TableSchema) {
    self.table = table
    order = KeyOrder(table)
  }

  /// Walks both streams once.
  mutating func run(_ projected: KeyedRows, _ copy: Statement, into delta: inout DeltaWriter) throws {
    var new = try projected.next()
    var old = try next(copy)
    while new != nil || old != nil {
      let side = side(new, old)
      if side != .projected, let row = old { try take(old: row, isGone: side == .copy, &delta) }
      if side != .copy, let row = new { take(new: row, old: side == .both ? old : nil, &delta) }
      if side != .projected { old = try next(copy) }
      if side != .copy { new = try projected.next() }
    }
  }

  /// On which side the lowest key stands.
  private enum Side { case projected, copy, both }

  private func side(_ new: [SeedValue]?, _ old: [SeedValue]?) -> Side {
    guard let new else { return .copy }
    guard let old else { return .projected }
    let comparison = order.compare(table.keyValues(of: new), table.keyValues(of: old))
    return comparison < 0 ? .projected : comparison > 0 ? .copy : .both
  }

  private mutating func take(old row: [SeedValue], isGone: Bool, _ delta: inout DeltaWriter) throws {
    copySum.insert(hasher.hash(row))
    if isGone { delta.delete(table.keyValues(of: row)) }
  }

  private mutating func take(new row: [SeedValue], old: [SeedValue]?, _ delta: inout DeltaWriter) {
    projectedSum.insert(hasher.hash(row))
    if row != old { delta.upsert(row) }
  }

  private func next(_ copy: Statement) throws(CopyDamaged) -> [SeedValue]? {
    do {
      return try copy.step() ? try copy.row() : nil
    } catch {
      throw CopyDamaged(table: table.name, reason: "\(error)")
    }
  }
}
