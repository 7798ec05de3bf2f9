import SeedFormat

/// Writes rows with all that is nested in them.
///
/// Order of one tree: the objects that a row references, the row, then the rows that reference it. A row that
/// is refused takes what was nested in it along; a refused child leaves its parent alone.
final class RowTreeWriter {
  let evaluator = RowEvaluator()
  private let connection: Connection
  private let policy: ImportPolicy
  private let issues: IssueCollector
  let store: RowStore
  /// The place of the row that is being written.
  @exclusivity(unchecked) var place = RowPlace()

  init(_ connection: Connection, _ policy: ImportPolicy, _ issues: IssueCollector) {
    self.connection = connection
    self.policy = policy
    self.issues = issues
    store = RowStore(policy, issues, evaluator.reader.bytes)
  }

  /// Reads and writes the row at `index`; what is wrong with it goes to the issues.
  func write(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource,
    given: [(column: Int, value: BorrowedValue)] = []
  ) throws {
    _ = try writeTree(plan, index, source, given)
  }

  /// False where the row was refused.
  private func writeTree(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource,
    _ given: [(column: Int, value: BorrowedValue)]
  ) throws -> Bool {
    do throws(Refusal) {
      try evaluator.evaluate(plan, index, source, given: given)
    } catch {
      try reject(plan, error, source)
      return false
    }
    guard try writeWithReferences(plan, source) else { return false }
    for (number, relation) in plan.relations.enumerated() where !relation.isObject {
      if let place = plan.places[number] { try writeElements(plan, relation, place, source) }
    }
    return true
  }

  private func reject(_ plan: RowPlan, _ refusal: Refusal, _ source: borrowing DocumentSource) throws {
    if plan.hasKey { try plan.target.seen?.insert(plan.key) } else { plan.target.hasLostKeys = true }
    try issues.reject(plan, refusal, place, row: issues.wantsRows ? source.json(0) : [])
  }

  // MARK: References

  /// A savepoint only where a referenced object is really written: most recur and are known.
  private func writeWithReferences(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    guard !plan.relations.isEmpty else { return try storing(plan, source) }
    let references = references(plan, source)
    let nested = references.filter { !store.isKnown($0) }
    let known = references.filter { reference in !nested.contains { $0 === reference } }
    guard try write(plan, nested, source) else { return false }
    for reference in known { reference.target.recognised += 1 }
    return true
  }

  private func write(
    _ plan: RowPlan, _ nested: [RowPlan], _ source: borrowing DocumentSource
  ) throws -> Bool {
    guard !nested.isEmpty else { return try storing(plan, source) }
    let marks = nested.map { ($0.target, $0.target.mark) }
    let waiting = store.deferred.count
    try connection.execute("SAVEPOINT seedbank_row")
    for reference in nested {
      if try writeWithReferences(reference, source) { continue }
      try takeBack(plan, nested, marks, waiting)
      // The referenced row is the one with the issue; this one goes with it.
      plan.target.rejected += 1
      return false
    }
    guard try storing(plan, source) else {
      try takeBack(plan, nested, marks, waiting)
      return false
    }
    try connection.execute("RELEASE seedbank_row")
    return true
  }

  private func takeBack(
    _ plan: RowPlan, _ nested: [RowPlan], _ marks: [(ImportTarget, [SlotSet: TableChanges])], _ waiting: Int
  ) throws {
    try connection.execute("ROLLBACK TO seedbank_row; RELEASE seedbank_row")
    for (target, mark) in marks { target.restore(mark) }
    store.forget(from: waiting)
    // Refused rows were mentioned all the same: those that exist are not to be deleted.
    for row in [plan] + nested { try row.target.seen?.insert(row.key) }
  }

  /// The plans of the objects that this row references, each filled with its object.
  private func references(_ plan: RowPlan, _ source: borrowing DocumentSource) -> [RowPlan] {
    var plans: [RowPlan] = []
    for (number, relation) in plan.relations.enumerated() {
      guard relation.isObject, let place = plan.places[number], source.tape.kind(place) == .object else {
        continue
      }
      plans.append(relation.plan)
    }
    return plans
  }

  private func storing(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    do {
      try store.store(plan, place)
      return true
    } catch let refusal as Refusal {
      try issues.reject(plan, refusal, place, row: issues.wantsRows ? source.json(0) : [])
      return false
    }
  }

  // MARK: Nested arrays

  private func writeElements(
    _ plan: RowPlan, _ relation: RowRelation, _ index: Int, _ source: borrowing DocumentSource
  ) throws {
    guard source.tape.kind(index) == .array else {
      guard source.tape.kind(index) != .null else { return }
      relation.plan.reset()
      return try reject(
        relation.plan, Refusal(.typeMismatch, "expected an array", offset: source.tape.offset(index)), source)
    }
    let given = relation.given(plan.key)
    var element = index + 1
    while element < source.tape.end(of: index) {
      try writeElement(plan, relation, element, source, given)
      element = source.tape.end(of: element)
    }
  }

  private func writeElement(
    _ parent: RowPlan, _ relation: RowRelation, _ index: Int, _ source: borrowing DocumentSource,
    _ given: [(column: Int, value: BorrowedValue)]
  ) throws {
    switch relation.kind {
    case .object: return
    case .array: _ = try writeTree(relation.plan, index, source, given)
    case .join(let join):
      guard let key = try elementKeyValues(relation.plan, index, source) else { return }
      join.fill(parent.key, key)
      _ = try storing(join.plan, source)
    }
  }

  /// The key of a joined element, which is written first where it is an object.
  private func elementKeyValues(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource
  ) throws -> [BorrowedValue]? {
    if source.tape.kind(index) == .object {
      return try writeTree(plan, index, source, []) ? plan.key : nil
    }
    plan.reset()
    do throws(Refusal) {
      return [try evaluator.bareKey(plan, index, source)]
    } catch {
      try reject(plan, error, source)
      return nil
    }
  }

  /// Writes the rows that waited for others.
  func resolveDeferred() throws { try store.resolveDeferred(connection) }
}
