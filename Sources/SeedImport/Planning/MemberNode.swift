import SeedDatabase
import SeedFormat

/// The columns and the relation that an object's member fills, and the nodes of members inside it. Objects of
/// a kind usually have the same members in the same order. A node therefore compares a name with the name at
/// this position in the last object, and looks it up only if they differ.
final class MemberNode {
  @exclusivity(unchecked) var columns: [Int] = []
  @exclusivity(unchecked) var relation: Int?
  @exclusivity(unchecked) private(set) var children: [[UInt8]: MemberNode] = [:]
  @exclusivity(unchecked) private(set) var elements: [(number: Int, node: MemberNode)] = []
  /// Whether a member matched a column that is not listed.
  @exclusivity(unchecked) private(set) var isFound = false
  /// Whether an object had members that the mapping does not read.
  @exclusivity(unchecked) private(set) var hasUnread = false
  // Unchecked as in ``RowPlan``: no accesses overlap.
  @exclusivity(unchecked) private var hints: [(name: [UInt8], node: MemberNode?)] = []
  /// Finds the node of a name that the mapping does not list.
  let byName: ([UInt8]) -> MemberNode?

  private static let mostHints = 1024

  init(byName: @escaping ([UInt8]) -> MemberNode? = { _ in nil }) { self.byName = byName }

  func node(_ path: ArraySlice<MemberPath.Step>) -> MemberNode {
    guard let step = path.first else { return self }
    let next = child(step) ?? MemberNode()
    switch step {
    case .member(let name): children[Array(name.utf8)] = next
    case .element(let number):
      elements.removeAll { $0.number == number }
      elements.append((number, next))
      elements.sort { $0.number < $1.number }
    }
    return next.node(path.dropFirst())
  }

  private func child(_ step: MemberPath.Step) -> MemberNode? {
    switch step {
    case .member(let name): children[Array(name.utf8)]
    case .element(let number): elements.first { $0.number == number }?.node
    }
  }

  var hasParts: Bool { !children.isEmpty || !elements.isEmpty }

  /// The node for a name; `nil` if the mapping does not read it.
  func child(_ name: [UInt8]) -> MemberNode? {
    if let node = children[name] { return node }
    let node = byName(name)
    node?.isFound = true
    return node
  }

  func target(at place: Int, _ name: UnsafeBufferPointer<UInt8>) -> MemberNode? {
    if place < hints.count, Self.same(hints[place].name, name) { return hints[place].node }
    let bytes = Array(name)
    let node = child(bytes)
    if node == nil { hasUnread = true }
    if place < hints.count {
      hints[place] = (bytes, node)
    } else if place == hints.count, place < Self.mostHints {
      hints.append((bytes, node))
    }
    return node
  }

  /// Twice as fast as `elementsEqual`; called for each member of each row.
  private static func same(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
  }
}

/// The targets of members in objects with the same names in the same order (a shape), looked up once per shape.
final class MemberBinding {
  struct Feed {
    enum Kind: UInt8 {
      case nothing
      case column
      /// One column with a conversion, several columns, a relation, or nested members.
      case node
    }

    let kind: Kind
    let affinity: Affinity
    let column: Int32
    let number: Int32
  }

  let shape: UInt32
  let feeds: UnsafeMutablePointer<Feed>
  let nodes: [MemberNode?]

  init(_ plan: RowPlan, _ object: Int, _ tape: borrowing JSONTape) {
    shape = tape.entries[object].shape
    nodes = (0..<tape.shapeCount(object)).map { plan.root.child(Array(tape.shapeName($0, object))) }
    feeds = .allocate(capacity: max(1, nodes.count))
    for (slot, node) in nodes.enumerated() { (feeds + slot).initialize(to: Self.feed(node, plan)) }
  }

  deinit { feeds.deallocate() }

  private static func feed(_ node: MemberNode?, _ plan: RowPlan) -> Feed {
    guard let node else { return Feed(kind: .nothing, affinity: .blob, column: 0, number: 0) }
    guard node.relation == nil, !node.hasParts, node.columns.count == 1,
      case .automatic = plan.columns[node.columns[0]].conversion
    else { return Feed(kind: .node, affinity: .blob, column: 0, number: 0) }
    let target = plan.columns[node.columns[0]]
    return Feed(
      kind: .column, affinity: target.schema.affinity, column: Int32(target.column),
      number: Int32(node.columns[0]))
  }
}

/// Finds mapped members that no row had. If only the key found its member, adds all columns matched by name. This costs
/// nothing per row: plans record the columns of each new shape, and nodes are marked when a name is looked up.
struct MemberSurvey {
  let plan: RowPlan
  let mapping: TableMapping
  let byName: [(column: String, node: MemberNode)]

  var missing: [ImportReport.MissingMember] {
    let report = plan.target.report
    // A plan that read only bare keys had no object in which a member could be missing.
    guard report.inserted + report.updated + report.unchanged > 0, plan.hasRows else { return [] }
    let listed = zip(mapping.columns.sorted { $0.key < $1.key }, plan.columns)
    let relations = mapping.relations.enumerated().filter { !plan.present.contains($0.offset) }
    let isAnyFound =
      byName.contains { $0.node.isFound }
      || listed.contains { !plan.target.key.contains($1.column) && plan.filled.contains($1.column) }
    return listed.filter { !plan.filled.contains($1.column) }.map { missing($0.0.key, $0.0.value.member) }
      + relations.map { missing(nil, $0.element.member) }
      + (isAnyFound || !plan.root.hasUnread
        ? [] : byName.map { missing($0.column, MemberPath(names: [$0.column])) })
  }

  private func missing(_ column: String?, _ member: MemberPath) -> ImportReport.MissingMember {
    .init(table: plan.table.name, member: member, column: column)
  }
}
