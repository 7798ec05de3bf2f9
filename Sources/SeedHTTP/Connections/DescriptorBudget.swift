import SeedSystem

/// How many descriptors a server may hold at once, and what the system allows the process.
///
/// Where descriptors run out, accepting a connection fails, or opening a file for one that was accepted. So
/// the soft limit is raised to what is needed, and where the hard limit is below that, fewer connections are
/// taken than were asked for: each one that is taken can be answered.
struct DescriptorBudget: Hashable, Sendable {
  /// Open connections at most.
  let connections: Int
  /// What the soft limit must be for them.
  let descriptors: Int

  /// Each connection is a socket, and the file that is being sent on it.
  static let perConnection = 2
  /// What everything else in the process may hold: libraries, logs, databases, the publisher's files.
  static let others = 256
  /// What does not depend on the connections: each answer that is kept may hold a file.
  static let fixed = AnswerCache.limit + others

  /// The budget of so many connections under a hard limit; nil if it leaves no room for a single one.
  init?(connections wanted: Int, hardLimit: Int) {
    let affordable = (hardLimit - Self.fixed) / Self.perConnection
    guard affordable > 0 else { return nil }
    connections = min(max(1, wanted), affordable)
    descriptors = Self.fixed + connections * Self.perConnection
  }

  /// The least hard limit that allows so many connections.
  static func needed(for connections: Int) -> Int { fixed + connections * perConnection }

  /// Raises the process's soft limit, never lowers it, and returns the budget that holds from now on.
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
