import SeedDatabase
import SeedFormat

/// A table's rows that will be written together: runs of rows that fill the same columns, in the document's order.
/// The rows point into the document's bytes, and must be written before these bytes are freed.
struct CollectedRows {
  /// The contents at a point in time, to roll back to.
  typealias Mark = (runs: Int, latest: Int, recognised: Int)

  private var runs: [(batch: RowBatch, rows: Int)] = []
  /// The number of values.
  private(set) var size = 0
  /// The number of rows equal to an earlier one, which need not be written.
  var recognised = 0

  var isEmpty: Bool { runs.isEmpty && recognised == 0 }

  mutating func note(_ batch: RowBatch) {
    size &+= batch.width
    if let latest = runs.last, latest.batch === batch {
      runs[runs.count &- 1].rows &+= 1
    } else {
      runs.append((batch, 1))
    }
  }

  var mark: Mark { (runs.count, runs.last?.rows ?? 0, recognised) }

  mutating func restore(_ mark: Mark) {
    while runs.count > mark.runs { remove(runs[runs.count - 1].rows); runs.removeLast() }
    if let latest = runs.last { remove(latest.rows - mark.latest) }
    recognised = mark.recognised
  }

  private mutating func remove(_ rows: Int) {
    let latest = runs.count - 1
    runs[latest].rows -= rows
    runs[latest].batch.removeLast(rows)
    size -= rows * runs[latest].batch.width
  }

  mutating func clear() {
    for run in runs { run.batch.clear() }
    runs.removeAll(keepingCapacity: true)
    (size, recognised) = (0, 0)
  }

  /// Writes the rows; throws if one is rejected or needs another row's unique value.
  func write(_ target: ImportTarget) throws {
    for (batch, count) in runs {
      target.open(batch)
      let rows = try batch.write(count)
      try target.seen?.insert(rows, batch.writer.shape.key)
    }
    target.recognised += recognised
  }
}

/// One set of columns that a plan's rows may fill, with the batch of rows that fill it.
final class PlanShape {
  let slots: SlotSet
  let batch: RowBatch
  private let columns: [Int]
  private let affinities: [Affinity]
  /// The values of omitted columns.
  private let defaults: [BorrowedValue]
  private let bytes = LentBytes()

  init(_ plan: RowPlan) throws {
    let slots = plan.slots
    let omitted = plan.omitted.filter { !slots.contains($0.column) }
    self.slots = slots
    columns = plan.table.columns.indices.filter(slots.contains)
    affinities = columns.map { plan.table.columns[$0].affinity }
    batch = try plan.target.batch(columns, omitted: omitted.map(\.column))
    let bytes = bytes
    defaults = omitted.map { bytes.lend($0.value) }
  }

  /// Adds the plan's row to the batch. Returns false if SQLite would convert a value, or if the row is too large.
  func collect(_ plan: RowPlan) -> Bool {
    let room = batch.room
    guard plan.copyRow(columns, affinities, to: room) else { return false }
    for (place, value) in defaults.enumerated() { (room + columns.count + place).initialize(to: value) }
    batch.keep()
    return true
  }

  func read(_ plan: RowPlan, into row: inout [BorrowedValue]) {
    row.removeAll(keepingCapacity: true)
    for column in columns { row.append(plan.value(column)) }
    row += defaults
  }
}
