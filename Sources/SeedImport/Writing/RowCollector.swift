import SeedDatabase
import SeedFormat

/// Collects rows with their nested rows, to write them with a few statements per table. ``RowTreeWriter`` writes rows
/// that cannot be collected. It also writes all collected rows, one by one, if SQLite rejects one of them.
final class RowCollector {
  private let connection: Connection
  private let evaluator: RowEvaluator
  private let store: RowStore
  /// Tables whose batches have rows, in the order of their first row.
  @exclusivity(unchecked) private var open: [ImportTarget] = []
  @exclusivity(unchecked) private var rows: [Row] = []
  @exclusivity(unchecked) private var mostRows = RowCollector.mostRows
  @exclusivity(unchecked) private var marks: [CollectedRows.Mark] = []
  private let syncs: [ParentSync]
  @exclusivity(unchecked) private var syncMarks: [ParentSync.Mark] = []

  /// A row of the document, with its position for a second reading.
  typealias Row = (list: Int, name: String?, number: Int, range: Range<Int>)

  /// Maximum number of rows to collect. Bad rows often come in groups, and all rows collected with a bad row are
  /// written again one by one, so fewer are collected after a bad row.
  private static let mostRows = 1024
  private static let fewestRows = 16
  /// Maximum number of values to collect: enough to amortise a statement's start, and few enough for the processor's
  /// cache.
  private static let mostValues = 8 * 1024
  /// Maximum number of bytes to collect. Values that stay in the document's own bytes do not count.
  private static let mostBytes = 256 * 1024

  init(_ connection: Connection, _ evaluator: RowEvaluator, _ store: RowStore, _ syncs: [ParentSync]) {
    (self.connection, self.evaluator, self.store, self.syncs) = (connection, evaluator, store, syncs)
  }

  // MARK: Collecting

  /// Adds the row on the tape with its nested rows. Returns false, and adds nothing, if it must be written alone.
  func collect(
    _ row: Row, _ plan: RowPlan, _ source: borrowing DocumentSource, given: GivenValues
  ) throws -> Bool {
    setMarks()
    do {
      try collectTree(plan, 0, source, given)
    } catch let error where error is RejectedRow || error is NeedsSingleWrite {
      takeBack()
      return false
    }
    rows.append(row)
    return true
  }

  private func setMarks() {
    marks.removeAll(keepingCapacity: true)
    for target in open { marks.append(target.collected.mark) }
    syncMarks.removeAll(keepingCapacity: true)
    for sync in syncs { syncMarks.append(sync.mark) }
  }

  private func takeBack() {
    for (number, target) in open.enumerated() {
      if number < marks.count { target.collected.restore(marks[number]) } else { target.collected.clear() }
      target.recent.clear()
    }
    open.removeSubrange(marks.count...)
    for (sync, mark) in zip(syncs, syncMarks) { sync.restore(mark) }
  }

  var isFull: Bool {
    if rows.count >= mostRows { return true }
    let values = open.reduce(0) { $0 + $1.collected.size }
    return values >= Self.mostValues || evaluator.reader.bytes.count >= Self.mostBytes
  }

  private struct NeedsSingleWrite: Error {}

  private func collectTree(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource, _ given: GivenValues
  ) throws {
    try evaluator.evaluate(plan, index, source, given: given)
    guard !plan.relations.isEmpty else { return try add(plan) }
    try addWithReferences(plan, source)
    for (number, relation) in plan.relations.enumerated() where !relation.isObject {
      if let place = plan.places[number] { try collectElements(plan, relation, place, source) }
    }
  }

  /// Adds a row after the objects that it references, most of which recur and are already known.
  private func addWithReferences(_ plan: RowPlan, _ source: borrowing DocumentSource) throws {
    for (number, relation) in plan.relations.enumerated() where plan.holdsObject(number, source) {
      if try store.isKnown(relation.plan, source) {
        let target = relation.plan.target
        begin(target)
        target.collected.recognised += 1
        for sync in relation.plan.othersNamed { sync.addOther(relation.plan) }
      } else {
        try addWithReferences(relation.plan, source)
      }
    }
    try add(plan)
  }

  private func collectElements(
    _ plan: RowPlan, _ relation: RowRelation, _ index: Int, _ source: borrowing DocumentSource
  ) throws {
    guard var elements = NestedElements(relation, at: index, source) else { throw NeedsSingleWrite() }
    let key = plan.key
    let given = relation.given(key)
    relation.sync?.open(key)
    while let element = elements.next(source) { try collect(element, relation, key, given, source) }
    relation.sync?.close()
  }

  private func collect(
    _ element: NestedElement, _ relation: RowRelation, _ parent: [BorrowedValue], _ given: GivenValues,
    _ source: borrowing DocumentSource
  ) throws {
    var key: BorrowedValue?
    switch try evaluator.nested(relation, element, given, source) {
    case .absent: return
    case .key(let value): key = value
    case .row(let given): try collectTree(relation.plan, element.index, source, given)
    }
    if case .join(let join) = relation.kind {
      join.fill(parent, key.map { [$0] } ?? relation.plan.key)
      try add(join.plan)
    }
    relation.sync?.add(relation.ownedPlan)
  }

  private func add(_ plan: RowPlan) throws {
    let target = plan.target
    guard !target.hasWaitingRows else { throw NeedsSingleWrite() }
    let shape = try plan.shape()
    guard shape.collect(plan) else { throw NeedsSingleWrite() }
    begin(target)
    target.collected.note(shape.batch)
    for sync in plan.othersNamed { sync.addOther(plan) }
    if target.recurs { try store.remember(plan) }
  }

  private func begin(_ target: ImportTarget) {
    if target.collected.isEmpty { open.append(target) }
  }

  // MARK: Writing

  /// Writes all collected rows and clears them; if SQLite rejects one, writes nothing and returns all rows.
  func write() throws -> [Row] {
    guard !rows.isEmpty else { return [] }
    let isWritten = try writeTogether()
    mostRows = isWritten ? min(2 * mostRows, Self.mostRows) : Self.fewestRows
    defer { rows.removeAll(keepingCapacity: isWritten) }
    return isWritten ? [] : rows
  }

  private func writeTogether() throws -> Bool {
    defer { clear() }
    let savepoint = try RowSavepoint(connection, open)
    do {
      for target in open { try rejecting(target.table) { try target.collected.write(target) } }
    } catch is RejectedRow {
      try savepoint.takeBack()
      return false
    }
    try savepoint.keep()
    for sync in syncs { try sync.settle() }
    return true
  }

  private func clear() {
    for target in open { target.collected.clear() }
    for sync in syncs { sync.clear() }
    open.removeAll(keepingCapacity: true)
    evaluator.reader.bytes.clear()
  }
}
