/// TUF's search for the role that lists a path (§5.6.7): pre-order and depth first. It decides where to look
/// next, and reads nothing itself.
struct DelegationSearch {
  /// Delegated roles that one search looks into.
  static let roleLimit = 32

  /// A role to look into, and the role that delegates the path to it.
  struct Step {
    let role: String
    /// `nil` at the top.
    let delegator: String?
  }

  private let path: String
  /// The next step is the last of them.
  private var ahead = [Step(role: Targets.type, delegator: nil)]
  private var visited: Set<String> = []

  /// Begins at the top-level targets role.
  init(for path: String) { self.path = path }

  /// Where to look now; no role comes twice, so a cycle ends.
  mutating func next() -> Step? {
    while visited.count <= Self.roleLimit, let step = ahead.popLast() {
      if visited.insert(step.role).inserted { return step }
    }
    return nil
  }

  /// Goes on with the roles to which `role` delegates the path, where it does not list the path itself.
  mutating func descend(from role: String, _ delegations: Delegations?) {
    let children = delegations?.roles.filter { $0.paths.admit(path) } ?? []
    let steps = children.map { Step(role: $0.name, delegator: role) }
    if let last = children.firstIndex(where: \.terminating) {
      ahead = steps[...last].reversed()
    } else {
      ahead += steps.reversed()
    }
  }
}

extension MetadataRefresh {
  /// What the repository says of the file at `path`, or `nil` where no role with authority over it lists it.
  ///
  /// Every role is verified for the delegator through which it was reached. A role that fails ends the search
  /// with its error: else whoever holds back one role's metadata lets a less trusted role answer.
  package mutating func target(_ path: String) async throws -> TargetFile? {
    var search = DelegationSearch(for: path)
    while let step = search.next() {
      if let delegator = step.delegator { try await targets(step.role, delegator: delegator) }
      guard let role = trusted.targets[step.role] else { throw TrustError.outOfOrder(role: step.role) }
      if let file = role.targets[path] { return file }
      search.descend(from: step.role, role.delegations)
    }
    return nil
  }
}
