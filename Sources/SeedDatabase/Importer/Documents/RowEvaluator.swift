import SeedFormat

/// Reads objects from the tape into their plans. Nothing is written: a row is known whole before it is.
final class RowEvaluator {
  let reader = ValueReader()

  /// Fills the plan with one object, or one plain value; `given` comes from outside the object.
  func evaluate(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource,
    given: [(column: Int, value: BorrowedValue)] = []
  ) throws(Refusal) {
    plan.reset()
    if source.tape.kind(index) == .object {
      try walk(plan, plan.root, index, source)
    } else if plan.root.columns.isEmpty {
      throw reader.notAnObject(index, source)
    }
    try take(plan, plan.root.columns, index, source)
    for constant in plan.constants { plan.set(constant.column, reader.bytes.lend(constant.value)) }
    for item in given { plan.set(item.column, item.value) }
    for (number, relation) in plan.relations.enumerated() {
      if case .object(let columns) = relation.kind, let place = plan.places[number] {
        try reference(plan, relation.plan, columns, place, source)
      }
    }
    try plan.checkKey()
  }

  private func walk(
    _ plan: RowPlan, _ node: MemberNode, _ index: Int, _ source: borrowing DocumentSource
  ) throws(Refusal) {
    var member = index + 1
    for place in 0..<source.tape.count(index) {
      let value = member + 1
      if let target = node.target(at: place, source.text(member)) {
        try take(plan, target.columns, value, source)
        if let relation = target.relation { plan.places[relation] = value }
        if !target.children.isEmpty { try descend(plan, target, value, source) }
      }
      member = source.tape.end(of: value)
    }
  }

  private func descend(
    _ plan: RowPlan, _ node: MemberNode, _ index: Int, _ source: borrowing DocumentSource
  ) throws(Refusal) {
    switch source.tape.kind(index) {
    case .object: try walk(plan, node, index, source)
    case .null: setNull(plan, node)
    default: throw Refusal(.typeMismatch, "expected an object", offset: source.tape.offset(index))
    }
  }

  /// An object that is null says so of everything within it.
  private func setNull(_ plan: RowPlan, _ node: MemberNode) {
    for child in node.children.values {
      for column in child.columns { plan.set(plan.columns[column].column, .null) }
      setNull(plan, child)
    }
  }

  private func take(
    _ plan: RowPlan, _ columns: [Int], _ index: Int, _ source: borrowing DocumentSource
  ) throws(Refusal) {
    for column in columns {
      let target = plan.columns[column]
      do throws(Refusal) {
        plan.set(target.column, try reader.read(index, source, for: target))
      } catch {
        throw Refusal(
          error.code, error.message, column: target.schema.name, offset: source.tape.offset(index))
      }
    }
  }

  /// A nested object, or its bare key: read now, for its key stands in this row.
  private func reference(
    _ plan: RowPlan, _ nested: RowPlan, _ columns: [Int], _ index: Int, _ source: borrowing DocumentSource
  ) throws(Refusal) {
    switch source.tape.kind(index) {
    case .null:
      for column in columns { plan.set(column, .null) }
    case .object:
      do throws(Refusal) {
        try evaluate(nested, index, source)
      } catch {
        var refusal = error
        refusal.table = error.table ?? nested.table.name
        throw refusal
      }
      for (column, value) in zip(columns, nested.key) { plan.set(column, value) }
    default:
      plan.set(columns[0], try bareKey(nested, index, source))
    }
  }

  /// A key that stands alone where an object could.
  func bareKey(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource
  ) throws(Refusal) -> BorrowedValue {
    guard plan.table.key.count == 1, source.tape.kind(index) != .array else {
      throw reader.notAnObject(index, source)
    }
    let column = plan.table.key[0]
    let target = ValueReader.Target(
      column: column, schema: plan.table.columns[column], conversion: .automatic)
    return try reader.read(index, source, for: target)
  }
}
