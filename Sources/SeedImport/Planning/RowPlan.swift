import SeedDatabase
import SeedFormat

/// Turns one kind of object into rows. Contains the mapping, with numbers in place of names, and the current row.
final class RowPlan {
  let target: ImportTarget
  let root: MemberNode
  let columns: [ValueReader.Target]
  let constants: [(column: Int, value: SeedValue)]
  let defaults: [(column: Int, value: SeedValue)]
  let relations: [RowRelation]
  /// Other relations that fill this table. They do not delete a row that this plan names.
  var othersNamed: [ParentSync] = []
  @exclusivity(unchecked) var places: [Int?]
  /// Relations whose member was present in an object.
  @exclusivity(unchecked) var present = SlotSet()
  // Unchecked, because one function at a time uses a row, and exclusivity checks took a seventh of an import's time.
  @exclusivity(unchecked) private(set) var slots = SlotSet()
  @exclusivity(unchecked) var binding: MemberBinding?
  @exclusivity(unchecked) private var latestShape: PlanShape?
  private var shapes: [SlotSet: PlanShape] = [:]
  /// Columns for which an object had a member.
  private(set) var filled = SlotSet()
  private let values: UnsafeMutablePointer<BorrowedValue>
  private let width: Int
  private let bytes = LentBytes()

  init(
    _ target: ImportTarget, root: MemberNode, columns: [ValueReader.Target],
    constants: [(column: Int, value: SeedValue)], defaults: [(column: Int, value: SeedValue)],
    relations: [RowRelation]
  ) {
    (self.target, self.root, self.columns, self.constants) = (target, root, columns, constants)
    (self.defaults, self.relations) = (defaults, relations)
    places = Array(repeating: nil, count: relations.count)
    width = target.table.columns.count
    values = .allocate(capacity: max(1, width))
    values.initialize(repeating: .null, count: width)
  }

  deinit { values.deallocate() }

  @inline(__always)
  func reset() {
    slots.clear()
    if !relations.isEmpty { for index in places.indices { places[index] = nil } }
  }

  @inline(__always)
  func set(_ column: Int, _ value: BorrowedValue) {
    precondition(column < width)
    values[column] = value
    slots.insert(column)
  }

  func value(_ column: Int) -> BorrowedValue {
    precondition(column < width)
    return values[column]
  }

  @inline(__always)
  func copyRow(
    _ columns: [Int], _ affinities: [Affinity], to row: UnsafeMutablePointer<BorrowedValue>
  ) -> Bool {
    var bytes = 0
    for place in columns.indices {
      let value = values[columns[place]]
      guard AffinityFitter.fits(value, affinities[place]) else { return false }
      bytes &+= value.byteCount
      (row + place).initialize(to: value)
    }
    return bytes <= RowBatch.mostRowBytes
  }

  func shape() throws -> PlanShape {
    if let latestShape, latestShape.slots == slots { return latestShape }
    let shape = try shapes[slots] ?? makeShape()
    latestShape = shape
    return shape
  }

  /// Maximum number of shapes kept, each of about 5 KiB. A document may fill different columns in each row.
  private static let mostShapes = 4096

  private func makeShape() throws -> PlanShape {
    if shapes.count == Self.mostShapes { shapes.removeAll() }
    let shape = try PlanShape(self)
    shapes[slots] = shape
    for column in 0..<width where slots.contains(column) && !slots.contains(mark(ofDefault: column)) {
      filled.insert(column)
    }
    return shape
  }

  /// Whether the row has an object, not only a bare key, for this relation of the kind `object`.
  func holdsObject(_ number: Int, _ source: borrowing DocumentSource) -> Bool {
    guard relations[number].isObject, let place = places[number] else { return false }
    return source.tape.kind(place) == .object
  }

  /// Whether an object was read as a row.
  var hasRows: Bool { latestShape != nil }

  /// A slot after the columns' slots, which is set if this key column has its default value.
  private func mark(ofDefault column: Int) -> Int { width + column }

  /// The defaults for columns that a row omits: those of the mapping and, in mode `replace`, those of the schema.
  private(set) lazy var omitted: [(column: Int, value: SeedValue)] =
    defaults
    + target.schemaDefaults.filter { column, _ in !defaults.contains { $0.column == column } }
    .map { (column: $0, value: $1) }

  var table: TableSchema { target.table }

  private(set) lazy var targets: [ImportTarget] =
    [target] + relations.flatMap { $0.plan.targets + ($0.ownedPlan === $0.plan ? [] : $0.ownedPlan.targets) }

  /// The key's values; only valid if the row has all of them.
  var key: [BorrowedValue] { target.key.map { values[$0] } }

  var hasKey: Bool { target.key.allSatisfy { slots.contains($0) && !values[$0].isNull } }

  /// Defaults of key columns, for rows without the column's member.
  private lazy var keyDefaults: [Int: BorrowedValue] = Dictionary(
    defaults.filter { target.key.contains($0.column) }.map { ($0.column, bytes.lend($0.value)) },
    uniquingKeysWith: { $1 })

  /// Fills missing columns of the key with their defaults; throws if the key is still incomplete.
  func completeKey() throws(RejectedRow) {
    for column in target.key where !slots.contains(column) || values[column].isNull {
      if !slots.contains(column), let value = keyDefaults[column], !value.isNull {
        set(column, value)
        slots.insert(mark(ofDefault: column))
        continue
      }
      let name = table.columns[column].name
      let found = slots.contains(column) ? "is null" : "is missing"
      throw RejectedRow(.missingKey, "the key column \"\(name)\" \(found)", column: name)
    }
  }

  var keyDescription: String? { hasKey ? rowDescription(table.keyNames, key.map(\.owned)) : nil }
}

/// Values from outside an object: from its parent's key, or from its name.
typealias GivenValues = [(column: Int, value: BorrowedValue)]

/// Rows of another table within a row's object. This is a class with class members, because every nested row reads it,
/// and a struct's parts would be retained and released each time.
final class RowRelation {
  enum Kind {
    /// The nested row's key fills these columns of this row.
    case object(foreignKey: [Int])
    /// This row's key fills these columns of the nested rows.
    case children(parentKey: [Int])
    /// Both keys fill these columns of a third table's rows.
    case join(Join)
  }

  /// A third table's row that references one row of each side.
  final class Join {
    let plan: RowPlan
    let parentKey: [Int]
    let elementKey: [Int]

    init(plan: RowPlan, parentKey: [Int], elementKey: [Int]) {
      (self.plan, self.parentKey, self.elementKey) = (plan, parentKey, elementKey)
    }

    func fill(_ parent: [BorrowedValue], _ element: [BorrowedValue]) {
      plan.reset()
      for (column, value) in zip(parentKey, parent) { plan.set(column, value) }
      for (column, value) in zip(elementKey, element) { plan.set(column, value) }
    }
  }

  let kind: Kind
  let plan: RowPlan
  /// The plan of the rows that belong to a parent: the nested rows, or the pairs.
  let ownedPlan: RowPlan
  /// The column of the rows' names; only for a dictionary.
  let names: ValueReader.Target?
  let sync: ParentSync?

  init(_ kind: Kind, _ plan: RowPlan, owned: RowPlan, names: ValueReader.Target?, sync: ParentSync?) {
    (self.kind, self.plan, ownedPlan, self.names, self.sync) = (kind, plan, owned, names, sync)
  }

  var isObject: Bool { if case .object = kind { true } else { false } }

  func given(_ parent: [BorrowedValue]) -> GivenValues {
    guard case .children(let parentKey) = kind else { return [] }
    return zip(parentKey, parent).map { ($0, $1) }
  }
}

/// A nested value's position on the tape and, in a dictionary, the position of its name.
typealias NestedElement = (index: Int, name: Int?)

struct NestedElements {
  private var next: Int
  private let end: Int
  private let isDictionary: Bool

  /// Returns nil if the value at `index` does not match the relation's layout; null has no elements.
  init?(_ relation: RowRelation, at index: Int, _ source: borrowing DocumentSource) {
    end = source.tape.end(of: index)
    isDictionary = relation.names != nil
    switch source.tape.kind(index) {
    case .null: next = end
    case .array where !isDictionary, .object where isDictionary: next = index + 1
    default: return nil
    }
  }

  mutating func next(_ source: borrowing DocumentSource) -> NestedElement? {
    guard next < end else { return nil }
    let name = isDictionary ? next : nil
    let index = isDictionary ? next + 1 : next
    next = source.tape.end(of: index)
    return (index, name)
  }
}

/// The set of columns that a row fills; one word is enough for most tables.
struct SlotSet: Hashable {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  @inline(__always)
  mutating func clear() {
    low = 0
    if !high.isEmpty { high = [] }
  }

  @inline(__always)
  mutating func insert(_ column: Int) {
    if column < 64 { low |= 1 << UInt64(column) } else { high.insert(column) }
  }

  func contains(_ column: Int) -> Bool {
    column < 64 ? low & 1 << UInt64(column) != 0 : high.contains(column)
  }

  @inline(__always)
  static func == (left: SlotSet, right: SlotSet) -> Bool {
    left.low == right.low && (left.high.isEmpty && right.high.isEmpty || left.high == right.high)
  }
}
