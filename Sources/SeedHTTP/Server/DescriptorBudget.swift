import SeedSystem

/// The descriptors that a server needs, under the system's limits. Where they run out, accepting a connection fails,
/// or opening a file for one: so the soft limit is raised, and where the hard limit is lower, fewer connections are
/// accepted than configured.
struct DescriptorBudget: Hashable, Sendable {
  let connections: Int
  let descriptors: Int

  /// Each connection needs a socket, and a file that is being sent on it.
  static let perConnection = 2
  /// For everything else in the process: libraries, logs, databases, the publisher's files.
  static let others = 256
  /// Independent of the connections: each response that is kept may hold a file.
  static let fixed = AnswerCache.limit + others

  init?(connections wanted: Int, hardLimit: Int) {
    let affordable = (hardLimit - Self.fixed) / Self.perConnection
    guard affordable > 0 else { return nil }
    connections = min(max(1, wanted), affordable)
    descriptors = Self.needed(for: connections)
  }

  static func needed(for connections: Int) -> Int { fixed + connections * perConnection }

  /// Raises the process's soft limit where needed; it never lowers it.
  static func claim(connections: Int) -> DescriptorBudget? {
    var limit = rlimit()
    guard getrlimit(descriptorsResource, &limit) == 0,
      let budget = DescriptorBudget(
        connections: connections, hardLimit: Int(clamping: min(limit.rlim_max, mostDescriptors)))
    else { return nil }
    guard limit.rlim_cur < rlim_t(budget.descriptors) else { return budget }
    limit.rlim_cur = rlim_t(budget.descriptors)
    return setrlimit(descriptorsResource, &limit) == 0 ? budget : nil
  }

  private static let descriptorsResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  /// A hard limit without a bound reads as the largest number there is.
  private static let mostDescriptors: rlim_t = 1 << 30
}
