import SeedDatabase
import SeedFormat

/// What one member of an object feeds, and the members within it.
///
/// Objects of one kind mostly come with the same members in the same order. So every node remembers which
/// node each place of the object before led to, and compares the name's bytes before it looks anything up.
final class MemberNode {
  /// Indexes into the plan's columns.
  @exclusivity(unchecked) var columns: [Int] = []
  /// Index into the plan's relations.
  @exclusivity(unchecked) var relation: Int?
  @exclusivity(unchecked) private(set) var children: [[UInt8]: MemberNode] = [:]
  /// Whether any object had the member.
  @exclusivity(unchecked) private(set) var isSeen = false
  /// Names of members within it that nobody wants: some of them, for messages.
  @exclusivity(unchecked) private(set) var unwanted: Set<[UInt8]> = []
  // As in ``RowPlan``: no other access can happen during one of these.
  @exclusivity(unchecked) private var hints: [Hint] = []
  private let fallback: (([UInt8]) -> MemberNode?)?

  private struct Hint {
    let name: [UInt8]
    let node: MemberNode?
  }

  /// Members of one object that are remembered by place.
  private static let mostHints = 1024
  /// Unwanted names that are remembered.
  private static let mostUnwanted = 64

  init(fallback: (([UInt8]) -> MemberNode?)? = nil) { self.fallback = fallback }

  /// The node behind a path, made where it is not there.
  func node(_ path: ArraySlice<String>) -> MemberNode {
    guard let name = path.first else { return self }
    let bytes = Array(name.utf8)
    let child = children[bytes] ?? MemberNode()
    children[bytes] = child
    return child.node(path.dropFirst())
  }

  /// The node behind a name; `nil` for one that nobody wants.
  func child(_ name: [UInt8]) -> MemberNode? { children[name] ?? fallback?(name) }

  /// The node that a member leads to; `nil` for one that nobody wants.
  func target(at place: Int, _ name: UnsafeBufferPointer<UInt8>) -> MemberNode? {
    if place < hints.count, Self.same(hints[place].name, name) { return hints[place].node }
    let bytes = Array(name)
    let node = child(bytes)
    note(bytes, node)
    if place < hints.count {
      hints[place] = Hint(name: bytes, node: node)
    } else if place == hints.count, place < Self.mostHints {
      hints.append(Hint(name: bytes, node: node))
    }
    return node
  }

  /// Notes that an object has a member of that name, which leads to that node.
  private func note(_ name: [UInt8], _ node: MemberNode?) {
    if let node {
      node.isSeen = true
    } else if unwanted.count < Self.mostUnwanted {
      unwanted.insert(name)
    }
  }

  /// Notes that an object had the member, if only as a part of a null.
  func see() { isSeen = true }

  private static func same(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
  }
}
