import SeedDatabase
import SeedFormat

/// Reads objects from the tape into their plans. Nothing is written before the whole row is read.
final class RowEvaluator {
  let reader = ValueReader()

  /// Fills the plan from one object or plain value; the `given` values come from outside the object.
  func evaluate(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource, given: GivenValues = []
  ) throws(RejectedRow) {
    plan.reset()
    let isObject = source.tape.kind(index) == .object
    if isObject {
      try walk(plan, index, source)
    } else if plan.root.columns.isEmpty {
      throw reader.notAnObject(index, source)
    }
    // If the value is an object, only conversions that accept objects read it as a whole.
    for column in plan.root.columns where !isObject || plan.columns[column].conversion.takesObjects {
      try take(plan, column, index, source)
    }
    for constant in plan.constants { plan.set(constant.column, reader.bytes.lend(constant.value)) }
    for item in given { plan.set(item.column, item.value) }
    guard !plan.relations.isEmpty else { return try plan.completeKey() }
    for (number, relation) in plan.relations.enumerated() {
      if case .object(let columns) = relation.kind, let place = plan.places[number] {
        try reference(plan, relation.plan, columns, place, source)
      }
    }
    try plan.completeKey()
  }

  /// A nested value: nothing, the key of a row, or a row. A row also gets values from outside its object: its
  /// parent's key and its name in a dictionary.
  enum Nested {
    case absent
    case key(BorrowedValue)
    case row(GivenValues)
  }

  func nested(
    _ relation: RowRelation, _ element: NestedElement, _ parent: GivenValues,
    _ source: borrowing DocumentSource
  ) throws(RejectedRow) -> Nested {
    let kind = source.tape.kind(element.index)
    let isBare = if case .join = relation.kind { kind != .object } else { false }
    guard let names = relation.names, let name = element.name else {
      guard isBare, relation.plan.root.columns.isEmpty else { return .row(parent) }
      return .key(try bareKey(relation.plan, element.index, source))
    }
    if kind == .null || isBare && kind == .no { return .absent }
    let key = try reader.read(name: String(decoding: source.text(name), as: UTF8.self), for: names)
    return isBare && kind == .yes ? .key(key) : .row(parent + [(names.column, key)])
  }

  // MARK: Members

  /// Reads the members of the row's object. If the object's shape is known, finds them by number instead of by name.
  private func walk(_ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource) throws(RejectedRow) {
    let shape = source.tape.entries[index].shape
    guard shape != 0 else { return try walk(plan, plan.root, index, source) }
    if plan.binding?.shape != shape { plan.binding = MemberBinding(plan, index, source.tape) }
    if let binding = plan.binding { try walk(plan, binding, index, source) }
  }

  private func walk(
    _ plan: RowPlan, _ binding: MemberBinding, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    let (entries, feeds) = (source.tape.entries, binding.feeds)
    let (base, start) = source.scanner.held
    var member = index + 1
    for _ in 0..<entries[index].count {
      let value = entries + (member + 1)
      let feed = feeds[Int(entries[member].slot)]
      switch (feed.kind, value.pointee.kind, feed.affinity) {
      case (.nothing, _, _): break
      case (.column, .string, .text) where !value.pointee.isCopied:
        let text = UnsafeBufferPointer(
          start: base + (Int(value.pointee.payload) - start), count: value.pointee.count)
        plan.set(Int(feed.column), .text(text))
      case (.column, .string, .integer) where !value.pointee.isCopied:
        let digits = base + (Int(value.pointee.payload) - start)
        if let integer = Self.plainInteger(digits, value.pointee.count) {
          plan.set(Int(feed.column), .integer(integer))
        } else {
          try take(plan, Int(feed.number), member + 1, source)
        }
      case (.column, .integer, .integer):
        plan.set(Int(feed.column), .integer(Int64(bitPattern: value.pointee.payload)))
      case (.column, .real, .real):
        plan.set(Int(feed.column), .real(Double(bitPattern: value.pointee.payload)))
      case (.column, .null, _): plan.set(Int(feed.column), .null)
      case (.column, _, _): try take(plan, Int(feed.number), member + 1, source)
      case (.node, _, _):
        if let node = binding.nodes[Int(entries[member].slot)] { try take(plan, node, member + 1, source) }
      }
      switch value.pointee.kind {
      case .object, .array: member = Int(value.pointee.payload)
      default: member &+= 2
      }
    }
  }

  private static let mostPlainDigits = 18

  /// The value of a short unsigned integer, like most CSV numbers; `nil` for all other text.
  @inline(__always)
  private static func plainInteger(_ digits: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
    guard count > 0, count <= mostPlainDigits, count == 1 || digits[0] != UInt8(ascii: "0") else {
      return nil
    }
    var value: Int64 = 0
    for index in 0..<count {
      let digit = digits[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return value
  }

  private func walk(
    _ plan: RowPlan, _ node: MemberNode, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    var member = index + 1
    for place in 0..<source.tape.count(index) {
      let value = member + 1
      if let target = node.target(at: place, source.text(member)) { try take(plan, target, value, source) }
      member = source.tape.end(of: value)
    }
  }

  private func take(
    _ plan: RowPlan, _ node: MemberNode, _ value: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    for column in node.columns { try take(plan, column, value, source) }
    if let relation = node.relation {
      plan.places[relation] = value
      plan.present.insert(relation)
    }
    if node.hasParts { try descend(plan, node, value, source) }
  }

  private func descend(
    _ plan: RowPlan, _ node: MemberNode, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    switch source.tape.kind(index) {
    case .object where !node.children.isEmpty: try walk(plan, node, index, source)
    case .array where !node.elements.isEmpty: try walk(plan, elementsOf: node, index, source)
    case .null: setNull(plan, node)
    default:
      let wanted = node.children.isEmpty ? "an array" : "an object"
      throw RejectedRow(
        .typeMismatch, "expected \(wanted), found \(reader.describe(index, source))",
        offset: source.tape.offset(index))
    }
  }

  private func walk(
    _ plan: RowPlan, elementsOf node: MemberNode, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    var (element, number) = (index + 1, 0)
    for part in node.elements where part.number < source.tape.count(index) {
      while number < part.number {
        element = source.tape.end(of: element)
        number += 1
      }
      try take(plan, part.node, element, source)
    }
  }

  /// Sets the columns of all members within a null object to NULL.
  private func setNull(_ plan: RowPlan, _ node: MemberNode) {
    for child in Array(node.children.values) + node.elements.map(\.node) {
      if let relation = child.relation { plan.present.insert(relation) }
      for column in child.columns { plan.set(plan.columns[column].column, .null) }
      setNull(plan, child)
    }
  }

  private func take(
    _ plan: RowPlan, _ column: Int, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    let target = plan.columns[column]
    plan.set(target.column, try reader.read(index, source, for: target))
  }

  /// Reads a nested object, or its bare key, before the row is written, because this key fills columns of the row.
  private func reference(
    _ plan: RowPlan, _ nested: RowPlan, _ columns: [Int], _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) {
    switch source.tape.kind(index) {
    case .null:
      for column in columns { plan.set(column, .null) }
    case .object:
      do throws(RejectedRow) {
        try evaluate(nested, index, source)
      } catch {
        var refusal = error
        refusal.table = error.table ?? nested.table.name
        refusal.key = error.key ?? (error.table == nil ? nested.keyDescription : nil)
        throw refusal
      }
      for (column, value) in zip(columns, nested.key) { plan.set(column, value) }
    default:
      do throws(RejectedRow) {
        plan.set(columns[0], try bareKey(nested, index, source))
      } catch {
        // The bare key fills this column of the row.
        var refusal = error
        refusal.column = plan.table.columns[columns[0]].name
        throw refusal
      }
    }
  }

  /// Reads a bare key in place of an object; rejects null, which cannot be a key.
  func bareKey(
    _ plan: RowPlan, _ index: Int, _ source: borrowing DocumentSource
  ) throws(RejectedRow) -> BorrowedValue {
    plan.reset()
    guard plan.table.key.count == 1, source.tape.kind(index) != .array else {
      throw reader.notAnObject(index, source)
    }
    let column = plan.table.key[0]
    let schema = plan.table.columns[column]
    guard source.tape.kind(index) != .null else {
      throw RejectedRow(
        .missingKey, "the key column \"\(schema.name)\" is null", column: schema.name,
        offset: source.tape.offset(index))
    }
    return try reader.read(index, source, for: .init(column: column, schema: schema))
  }
}
