import SeedDatabase
import SeedFormat

/// Writes rows with their nested rows: first the referenced objects, then the row, then the rows that reference it.
/// If a row is rejected, so are its nested rows; a rejected child does not affect its parent. If any row has to wait,
/// the whole tree waits.
final class RowTreeWriter {
  let evaluator = RowEvaluator()
  private let connection: Connection
  private let issues: IssueCollector
  let store: RowStore
  let collector: RowCollector
  @exclusivity(unchecked) var place = RowPlace()
  /// Whether to reject a row whose unique value is taken, instead of letting it wait.
  var decides = false
  /// Whether a waiting tree is walked only to record the rows that it names.
  private var isMentioning = false
  /// Rows of the current tree that wait, because they, or rows that they reference, need another row's unique value.
  private var early: Set<Int> = []
  private var isTooEarly = false
  /// Whether the walk is within a row of `early`. If that row is rejected later, its existing nested rows stay.
  private var isWithinEarly = false

  init(_ connection: Connection, _ issues: IssueCollector, _ syncs: [ParentSync]) {
    (self.connection, self.issues) = (connection, issues)
    store = RowStore(connection)
    collector = RowCollector(connection, evaluator, store, syncs)
  }

  /// Reads and writes the row on the tape, and reports its errors as issues. Returns false if it has to wait, without
  /// writing anything.
  func write(_ plan: RowPlan, _ source: borrowing DocumentSource, given: GivenValues) throws -> Bool {
    early.removeAll(keepingCapacity: true)
    let savepoint = plan.relations.isEmpty ? nil : try RowSavepoint(connection, plan.targets)
    _ = try writeTree(plan, 0, source, given)
    if early.isEmpty { try savepoint?.keep() } else { try savepoint?.takeBack() }
    return early.isEmpty
  }

  /// Records the rows of a waiting tree, so that they are not deleted and other rows with the same keys wait too.
  func mention(_ plan: RowPlan, _ source: borrowing DocumentSource, given: GivenValues) throws {
    isMentioning = true
    defer { isMentioning = false }
    _ = try writeTree(plan, 0, source, given)
  }

  /// Returns false if the row is rejected or has to wait.
  private func writeTree(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource, _ given: GivenValues
  ) throws -> Bool {
    do throws(RejectedRow) {
      try evaluator.evaluate(plan, index, source, given: given)
    } catch {
      // The given values may complete the key. If they do, the existing row is recorded, so that it is not deleted.
      for item in given { plan.set(item.column, item.value) }
      try nameForOthers(plan)
      try reject(plan, error, source)
      return false
    }
    try nameForOthers(plan, source)
    guard try write(plan, source) else {
      if !isTooEarly { loseElements(plan) }
      return false
    }
    let isWithin = isWithinEarly
    defer { isWithinEarly = isWithin }
    if isMentioning, try early.contains(store.identity(of: plan)) { isWithinEarly = true }
    for (number, relation) in plan.relations.enumerated() where !relation.isObject {
      if let place = plan.places[number] { try writeElements(plan, relation, place, source) }
    }
    return true
  }

  /// Records that the keys of a rejected row's elements are unknown, because the elements are not read.
  private func loseElements(_ plan: RowPlan) {
    for relation in plan.relations where !relation.isObject {
      (relation.plan.targets + relation.ownedPlan.targets).loseKeys()
    }
  }

  private func nameForOthers(_ plan: RowPlan) throws {
    for sync in plan.othersNamed where plan.hasKey {
      try sync.ledger.name(plan.key + [.integer(ParentLedger.always)])
    }
  }

  /// Records the rows that this object names, so that parents in other relations do not lose them.
  private func nameForOthers(_ plan: RowPlan, _ source: borrowing DocumentSource) throws {
    try nameForOthers(plan)
    for (number, relation) in plan.relations.enumerated() where plan.holdsObject(number, source) {
      try nameForOthers(relation.plan, source)
    }
  }

  private func write(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    isTooEarly = false
    if try writeWithReferences(plan, source) { return true }
    if isTooEarly { early.insert(try store.identity(of: plan)) }
    return false
  }

  /// Rejects a row that cannot be read; the keys of its nested rows are not known.
  func reject(_ plan: RowPlan, _ refusal: RejectedRow, _ source: borrowing DocumentSource) throws {
    if plan.hasKey { try plan.target.seen?.insert(plan.key) }
    plan.targets.dropFirst(plan.hasKey ? 1 : 0).loseKeys()
    if !isMentioning { try report(plan, refusal, source) }
  }

  private func report(_ plan: RowPlan, _ refusal: RejectedRow, _ source: borrowing DocumentSource) throws {
    var refusal = refusal
    if source.isAgain { refusal.offset = nil }
    try issues.reject(plan, refusal, place) { source.json(0) }
  }

  // MARK: References

  /// Opens a savepoint only if a referenced object has to be written. Usually none has to be, because most referenced
  /// objects occur several times and are already stored.
  private func writeWithReferences(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    guard !plan.relations.isEmpty else { return try storing(plan, source) }
    var (new, known): ([RowPlan], [RowPlan]) = ([], [])
    for (number, relation) in plan.relations.enumerated() where plan.holdsObject(number, source) {
      if try store.isKnown(relation.plan, source) {
        known.append(relation.plan)
      } else {
        new.append(relation.plan)
      }
    }
    let isWritten = try new.isEmpty ? storing(plan, source) : write(plan, new, source)
    if isWritten { for reference in known { reference.target.recognised += 1 } }
    return isWritten
  }

  private func write(
    _ plan: RowPlan, _ nested: [RowPlan], _ source: borrowing DocumentSource
  ) throws -> Bool {
    let savepoint = try RowSavepoint(connection, nested.flatMap(\.targets))
    var isNext = true
    for reference in nested where isNext { isNext = try writeWithReferences(reference, source) }
    if isNext, try storing(plan, source) {
      try savepoint.keep()
      return true
    }
    let rejected = plan.targets.map(\.rejected)
    try savepoint.takeBack()
    for (target, count) in zip(plan.targets, rejected) { target.rejected = count }
    // The issue is about the referenced row; this row is rejected with it.
    if !isNext { plan.target.rejected += 1 }
    try keep(plan, source)
    return false
  }

  /// Keeps existing rows with the keys of a rejected row and of the objects that it references.
  private func keep(_ plan: RowPlan, _ source: borrowing DocumentSource) throws {
    try plan.target.seen?.insert(plan.key)
    for (number, relation) in plan.relations.enumerated() where plan.holdsObject(number, source) {
      try keep(relation.plan, source)
    }
  }

  private func storing(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    if isMentioning {
      try store.mention(plan)
      return true
    }
    do {
      if try store.store(plan) { return true }
      isTooEarly = !decides
      if decides { throw try store.conflict(plan) }
    } catch let refusal as RejectedRow { try report(plan, refusal, source) }
    return false
  }

  // MARK: Nested rows

  /// Whether the row that a nested value names is known.
  private enum Naming { case absent, known, unknown }

  private func writeElements(
    _ plan: RowPlan, _ relation: RowRelation, _ index: Int, _ source: borrowing DocumentSource
  ) throws {
    guard var elements = NestedElements(relation, at: index, source) else {
      relation.plan.reset()
      relation.ownedPlan.targets.loseKeys()
      let wanted = relation.names == nil ? "an array" : "an object"
      let refusal = RejectedRow(
        .typeMismatch, "expected \(wanted)", offset: source.tape.offset(index))
      return try reject(relation.plan, refusal, source)
    }
    let key = plan.key
    let turn = try relation.sync?.begin(key, loses: !isWithinEarly)
    var areKnown = true
    while let element = elements.next(source) {
      let naming = try writeElement(key, relation, element, source)
      if case .known = naming, let turn {
        try relation.sync?.ledger.name(relation.ownedPlan.key + [.integer(turn)])
      }
      areKnown = areKnown && naming != .unknown
    }
    guard !areKnown else { return }
    relation.ownedPlan.targets.loseKeys()
    if let sync = relation.sync { try keepAll(of: plan.target, key, sync) }
  }

  /// Keeps all nested rows of the parent, because not all rows that the parent names are known.
  private func keepAll(of target: ImportTarget, _ key: [BorrowedValue], _ sync: ParentSync) throws {
    try sync.ledger.withdraw(key)
    guard !isMentioning else { return }
    let issue = RejectedRow(
      .notDeleted,
      "all its rows of table \"\(sync.target.table.name)\" were kept, because the key of a rejected row is not known",
      key: rowDescription(target.table.keyNames, key.map(\.owned)))
    issues.note(issue, target.table.name, place)
  }

  private func writeElement(
    _ parent: [BorrowedValue], _ relation: RowRelation, _ element: NestedElement,
    _ source: borrowing DocumentSource
  ) throws -> Naming {
    let plan = relation.plan
    let nested: RowEvaluator.Nested
    do throws(RejectedRow) {
      nested = try evaluator.nested(relation, element, relation.given(parent), source)
    } catch {
      plan.reset()
      try reject(plan, error, source)
      return .unknown
    }
    var (key, isWritten) = ([BorrowedValue](), true)
    switch nested {
    case .absent: return .absent
    case .key(let value): key = [value]
    case .row(let given):
      isWritten = try writeTree(plan, element.index, source, given)
      guard plan.hasKey else { return .unknown }
      key = plan.key
    }
    guard case .join(let join) = relation.kind else { return .known }
    join.fill(parent, key)
    try nameForOthers(join.plan, source)
    if isWritten { _ = try write(join.plan, source) } else { try keep(join.plan, source) }
    return .known
  }
}
