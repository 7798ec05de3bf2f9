import SeedDatabase
import SeedFormat

/// Writes rows with all that is nested in them. Order of one tree: the objects that a row references, the row, then
/// the rows that reference it. A row that is refused takes what was nested in it along; a refused child leaves its
/// parent alone. A row that has to wait lets what is nested in it wait with it.
final class RowTreeWriter {
  let evaluator = RowEvaluator()
  private let connection: Connection
  private let issues: IssueCollector
  let store: RowStore
  /// For rows that can be written with others.
  let collector: RowCollector
  @exclusivity(unchecked) var place = RowPlace()

  private enum Outcome { case written, refused, tooEarly }

  enum Fate {
    case written, refused
    case waits(WaitingRow)

    var row: WaitingRow? { if case .waits(let row) = self { row } else { nil } }
  }

  init(
    _ connection: Connection, _ policy: ImportPolicy, _ issues: IssueCollector, _ hooks: ImportHooks,
    _ syncs: [ParentSync]
  ) {
    (self.connection, self.issues) = (connection, issues)
    store = RowStore(connection, policy, issues, hooks, evaluator.reader.bytes)
    collector = RowCollector(connection, policy, evaluator, store, syncs)
  }

  /// Reads and writes the row at `index`; what is wrong with it goes to the issues.
  func write(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource,
    given: GivenValues = []
  ) throws {
    try settle(try writeTree(plan, index, source, given, behind: nil), behind: nil)
  }

  /// Lets a row that has to wait do so: by itself, or with the one that it belongs to.
  private func settle(_ fate: Fate, behind owner: WaitingRow?) throws {
    guard case .waits(let row) = fate else { return }
    if let owner { owner.elements.append(row) } else { try store.waiting.add(row) }
  }

  /// `owner` waits, and so does everything in it.
  private func writeTree(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource,
    _ given: GivenValues, behind owner: WaitingRow?
  ) throws -> Fate {
    do throws(RejectedRow) {
      try evaluator.evaluate(plan, index, source, given: given)
    } catch {
      // They say whose row it is, which keeps it from being deleted as one that nobody names.
      for item in given { plan.set(item.column, item.value) }
      try reject(plan, error, source)
      return .refused
    }
    try nameForOthers(plan, source)
    let fate = try writeOrHold(plan, source, behind: owner)
    if case .refused = fate { return fate }
    for (number, relation) in plan.relations.enumerated() where !relation.isObject {
      if let place = plan.places[number] {
        try writeElements(plan, relation, place, source, behind: fate.row)
      }
    }
    return fate
  }

  /// Rows that a parent elsewhere may not name, but the document does.
  private func nameForOthers(_ plan: RowPlan, _ source: borrowing DocumentSource) throws {
    for sync in plan.othersNamed where plan.hasKey {
      try sync.ledger.name(plan.key, turn: ParentLedger.always)
    }
    for (number, relation) in plan.relations.enumerated() where relation.isObject {
      if let place = plan.places[number], source.tape.kind(place) == .object {
        try nameForOthers(relation.plan, source)
      }
    }
  }

  private func writeOrHold(
    _ plan: RowPlan, _ source: borrowing DocumentSource, behind owner: WaitingRow?
  ) throws -> Fate {
    switch try owner == nil ? writeWithReferences(plan, source) : .tooEarly {
    case .written: .written
    case .refused: .refused
    case .tooEarly: .waits(try hold(plan, source))
    }
  }

  func reject(_ plan: RowPlan, _ refusal: RejectedRow, _ source: borrowing DocumentSource) throws {
    if plan.hasKey { try plan.target.seen?.insert(plan.key) } else { plan.target.hasLostKeys = true }
    try issues.reject(plan, source.placed(refusal), place, row: content(source))
  }

  private func content(_ source: borrowing DocumentSource) -> RowContent? {
    issues.wantsRow(place) ? RowContent(value: source.json(0)) : nil
  }

  /// The row's content, to be kept with one that waits.
  private func json(_ source: borrowing DocumentSource) -> [UInt8] { issues.wantsRows ? source.json(0) : [] }

  // MARK: References

  /// A savepoint only where a referenced object is really written: most recur and are known.
  private func writeWithReferences(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Outcome {
    guard !plan.relations.isEmpty else { return try storing(plan, source) }
    let references = try references(plan, source)
    let outcome = try references.new.isEmpty ? storing(plan, source) : write(plan, references.new, source)
    if outcome == .written { for reference in references.known { reference.target.recognised += 1 } }
    return outcome
  }

  private func write(
    _ plan: RowPlan, _ nested: [RowPlan], _ source: borrowing DocumentSource
  ) throws -> Outcome {
    let savepoint = try RowSavepoint(connection, nested.map(\.target))
    var outcome = Outcome.written
    for reference in nested where outcome == .written { outcome = try writeWithReferences(reference, source) }
    let isNext = outcome == .written
    if isNext { outcome = try storing(plan, source) }
    if outcome == .written {
      try savepoint.keep()
      return outcome
    }
    try savepoint.takeBack()
    guard outcome == .refused else { return outcome }
    // A referenced row that is refused is the one with the issue; this one goes with it.
    if !isNext { plan.target.rejected += 1 }
    // Refused rows were mentioned all the same: those that exist are not to be deleted.
    for row in [plan] + nested { try row.target.seen?.insert(row.key) }
    return outcome
  }

  /// The plans of the objects that this row references: those to be written, and those that are there, unchanged.
  private func references(
    _ plan: RowPlan, _ source: borrowing DocumentSource
  ) throws -> (new: [RowPlan], known: [RowPlan]) {
    var (new, known): ([RowPlan], [RowPlan]) = ([], [])
    for (number, relation) in plan.relations.enumerated() {
      guard relation.isObject, let place = plan.places[number], source.tape.kind(place) == .object else {
        continue
      }
      if try store.isKnown(relation.plan) { known.append(relation.plan) } else { new.append(relation.plan) }
    }
    return (new, known)
  }

  private func storing(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Outcome {
    do {
      return try store.store(plan) ? .written : .tooEarly
    } catch let refusal as RejectedRow {
      try issues.reject(plan, source.placed(refusal), place, row: content(source))
      return .refused
    }
  }

  private func hold(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> WaitingRow {
    var known: [ImportTarget] = []
    let references = try holdReferences(of: plan, source, &known)
    let row = try store.hold(plan, references, place, json: json(source))
    row.known = known
    return row
  }

  /// Those that are there already, unchanged, need not wait, and none has to wait for them.
  private func holdReferences(
    of plan: RowPlan, _ source: borrowing DocumentSource, _ known: inout [ImportTarget]
  ) throws -> [WaitingRow] {
    let references = try references(plan, source)
    known += references.known.map(\.target)
    var held: [WaitingRow] = []
    for reference in references.new {
      let nested = try holdReferences(of: reference, source, &known)
      if nested.isEmpty, try store.isSettled(reference) {
        known.append(reference.target)
      } else {
        held.append(try store.hold(reference, nested, place, json: json(source)))
      }
    }
    return held
  }

  // MARK: Nested rows

  /// Whether it is known which row a nested value names.
  private enum Naming { case absent, known, unknown }

  private func writeElements(
    _ plan: RowPlan, _ relation: RowRelation, _ index: Int, _ source: borrowing DocumentSource,
    behind owner: WaitingRow?
  ) throws {
    guard var elements = NestedElements(relation, at: index, source) else {
      relation.plan.reset()
      return try reject(
        relation.plan,
        RejectedRow(
          .typeMismatch, "expected \(relation.wantedKind)", offset: source.tape.offset(index)), source)
    }
    let key = plan.key
    let turn = try relation.sync?.begin(key)
    if let sync = relation.sync { owner?.claims.append(ParentClaim(sync: sync, parent: key.map(\.owned))) }
    var areKnown = true
    while let element = elements.next(source) {
      let isKnown = try write(element, of: relation, key, turn: turn, source, behind: owner)
      areKnown = areKnown && isKnown
    }
    if !areKnown, let sync = relation.sync { try keepAll(of: plan.target, key, sync) }
  }

  /// Writes a nested row and names it as its parent's; false where its key is not known.
  private func write(
    _ element: NestedElement, of relation: RowRelation, _ parent: [BorrowedValue], turn: Int64?,
    _ source: borrowing DocumentSource, behind owner: WaitingRow?
  ) throws -> Bool {
    let naming = try writeElement(parent, relation, element, source, behind: owner)
    if case .known = naming, let turn {
      try relation.sync?.ledger.name(relation.ownedPlan.key, turn: turn)
    }
    return naming != .unknown
  }

  /// What the parent names is not known: so nothing of it is deleted.
  private func keepAll(of target: ImportTarget, _ key: [BorrowedValue], _ sync: ParentSync) throws {
    try sync.ledger.withdraw(key)
    var issue = RejectedRow(
      .notDeleted,
      "its rows of table \"\(sync.target.table.name)\" were all kept, for the key of a rejected one is not known"
    )
    issue.key = rowDescription(target.table.keyNames, key.map(\.owned))
    try issues.note(issue, target.table.name, place)
  }

  private func writeElement(
    _ parent: [BorrowedValue], _ relation: RowRelation, _ element: NestedElement,
    _ source: borrowing DocumentSource, behind owner: WaitingRow?
  ) throws -> Naming {
    let meaning = relation.meaning(of: element, source)
    if case .absent = meaning { return .absent }
    var last = owner
    let key = try elementKey(relation, element, meaning, parent, source, behind: &last)
    guard case .join(let join) = relation.kind else { return relation.plan.hasKey ? .known : .unknown }
    guard let key else {
      guard case .row = meaning, relation.plan.hasKey else { return .unknown }
      join.fill(parent, relation.plan.key)
      return .known
    }
    join.fill(parent, key)
    try settle(try writeOrHold(join.plan, source, behind: last), behind: last)
    return .known
  }

  /// The key of a nested row, which is written first where it is one; if it has to wait, it owns what comes behind
  /// it in a join.
  private func elementKey(
    _ relation: RowRelation, _ element: NestedElement, _ meaning: RowRelation.Meaning,
    _ parent: [BorrowedValue], _ source: borrowing DocumentSource, behind owner: inout WaitingRow?
  ) throws -> [BorrowedValue]? {
    let plan = relation.plan
    do throws(RejectedRow) {
      switch meaning {
      case .absent: return nil
      case .key: return [try evaluator.bareKey(plan, element.index, source)]
      case .name:
        guard let names = relation.names, let name = element.name else { return nil }
        return [try evaluator.key(named: name, names, source)]
      case .row: break
      }
    } catch {
      plan.reset()
      try reject(plan, error, source)
      return nil
    }
    return try elementRow(relation, element, parent, source, behind: &owner)
  }

  private func elementRow(
    _ relation: RowRelation, _ element: NestedElement, _ parent: [BorrowedValue],
    _ source: borrowing DocumentSource, behind owner: inout WaitingRow?
  ) throws -> [BorrowedValue]? {
    let given: GivenValues
    do throws(RejectedRow) {
      given = try evaluator.given(relation, element, relation.given(parent), source)
    } catch {
      relation.plan.reset()
      try reject(relation.plan, error, source)
      return nil
    }
    let fate = try writeTree(relation.plan, element.index, source, given, behind: owner)
    if case .refused = fate { return nil }
    try settle(fate, behind: owner)
    owner = fate.row ?? owner
    return relation.plan.key
  }
}
