import SeedDatabase
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
  /// Whether all of the names that are wanted are known to occur.
  @exclusivity(unchecked) private(set) var isSeen: Bool

  init(_ plan: RowPlan, _ object: Int, _ tape: borrowing JSONTape) {
    shape = tape.entries[object].shape
    var nodes: [MemberNode?] = []
    for slot in 0..<tape.shapeCount(object) {
      nodes.append(plan.root.child(Array(tape.shapeName(slot, object))))
    }
    self.nodes = nodes
    // Whoever had these names first was read by its nodes, mostly as a row of this plan.
    isSeen = nodes.allSatisfy { $0?.isSeen ?? true }
    feeds = .allocate(capacity: max(1, nodes.count))
    for (slot, node) in nodes.enumerated() { (feeds + slot).initialize(to: Self.feed(node, plan)) }
  }

  deinit { feeds.deallocate() }

  /// Notes which of the names an object has.
  func note(_ object: Int, _ tape: borrowing JSONTape) {
    var member = object + 1
    for _ in 0..<tape.count(object) {
      nodes[Int(tape.entries[member].slot)]?.see()
      member = tape.end(of: member + 1)
    }
    isSeen = nodes.allSatisfy { $0?.isSeen ?? true }
  }

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
