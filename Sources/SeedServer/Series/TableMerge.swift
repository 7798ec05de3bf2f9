import SeedDatabase
import SeedFormat

/// Compares one table's projected rows with the working copy's, both in key order, and writes the difference.
struct TableMerge: ~Copyable {
  private let table: TableSchema
  private let order: KeyOrder
  private var hasher = RowHasher()
  /// The copy's current row where it lies.
  private var old: [BorrowedValue] = []
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
    var hasNew = try projected.next()
    var hasOld = try next(copy)
    while hasNew || hasOld {
      let side = side(hasNew ? projected.row : nil, hasOld)
      switch side {
      case .copy: takeGone(&delta)
      case .projected: try takeNew(projected, &delta)
      case .both: try takeBoth(projected, &delta)
      }
      if side != .projected { hasOld = try next(copy) }
      if side != .copy { hasNew = try projected.next() }
    }
  }

  /// On which side the lowest key stands.
  private enum Side { case projected, copy, both }

  private func side(_ new: [BorrowedValue]?, _ hasOld: Bool) -> Side {
    guard let new else { return .copy }
    guard hasOld else { return .projected }
    let comparison = order.compareKeys(of: new, old)
    return comparison < 0 ? .projected : comparison > 0 ? .copy : .both
  }

  private mutating func takeGone(_ delta: inout DeltaWriter) {
    copySum.insert(hasher.hash(lent: old))
    delta.delete(table.key.map { old[$0].owned })
  }

  private mutating func takeNew(_ projected: KeyedRows, _ delta: inout DeltaWriter) throws {
    projectedSum.insert(hasher.hash(lent: projected.row))
    delta.upsert(try projected.validRow())
  }

  private mutating func takeBoth(_ projected: KeyedRows, _ delta: inout DeltaWriter) throws {
    let hash = hasher.hash(lent: old)
    copySum.insert(hash)
    guard isSame(projected.row, old) else { return try takeNew(projected, &delta) }
    projectedSum.insert(hash)
  }

  private func isSame(_ new: [BorrowedValue], _ old: [BorrowedValue]) -> Bool {
    for index in new.indices where !BorrowedValue.same(new[index], old[index]) { return false }
    return true
  }

  private mutating func next(_ copy: Statement) throws(CopyDamaged) -> Bool {
    do {
      guard try copy.step() else { return false }
    } catch {
      throw CopyDamaged(table: table.name, reason: "\(error)")
    }
    copy.borrowRow(into: &old)
    return true
  }
}
