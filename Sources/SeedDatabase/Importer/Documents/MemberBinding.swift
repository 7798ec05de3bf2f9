import SeedFormat

/// What the members of objects of one shape feed: looked up once, for all objects of that shape.
final class MemberBinding {
  /// What one member feeds.
  struct Feed {
    enum Kind: UInt8 {
      /// Nothing wants it.
      case nothing
      /// One column, where the value may be of its affinity already.
      case column
      /// One column by a conversion, several columns, a relation, or members within.
      case node
    }

    let kind: Kind
    let affinity: Affinity
    /// Among the table's columns.
    let column: Int32
    /// Among the plan's columns.
    let number: Int32
  }

  let shape: UInt32
  let feeds: UnsafeMutablePointer<Feed>
  let nodes: [MemberNode?]

  init(_ plan: RowPlan, _ object: Int, _ tape: borrowing JSONTape) {
    shape = tape.entries[object].shape
    var nodes: [MemberNode?] = []
    for slot in 0..<tape.shapeCount(object) {
      nodes.append(plan.root.child(Array(tape.shapeName(slot, object))))
    }
    self.nodes = nodes
    feeds = .allocate(capacity: max(1, nodes.count))
    for (slot, node) in nodes.enumerated() { (feeds + slot).initialize(to: Self.feed(node, plan)) }
  }

  deinit { feeds.deallocate() }

  private static func feed(_ node: MemberNode?, _ plan: RowPlan) -> Feed {
    guard let node else { return Feed(kind: .nothing, affinity: .blob, column: 0, number: 0) }
    guard node.relation == nil, node.children.isEmpty, node.columns.count == 1,
      case .automatic = plan.columns[node.columns[0]].conversion
    else { return Feed(kind: .node, affinity: .blob, column: 0, number: 0) }
    let target = plan.columns[node.columns[0]]
    return Feed(
      kind: .column, affinity: target.schema.affinity, column: Int32(target.column),
      number: Int32(node.columns[0]))
  }
}
