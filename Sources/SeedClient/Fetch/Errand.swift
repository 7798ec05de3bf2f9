import SeedDatabase
import SeedSystem

/// One update, for those who fetch for it: what it may do, who hears of it, and what it has cost.
struct Errand: Sendable {
  var policy = UpdatePolicy()
  var phases = PhaseSender.silent
  private let traffic = Traffic()

  private final class Traffic: Sendable { let total = Mutex(UpdateTraffic()) }

  /// What it has cost so far.
  var cost: UpdateTraffic { traffic.total.withLock { $0 } }

  /// Counts.
  func count(_ change: (inout UpdateTraffic) -> Void) { traffic.total.withLock { change(&$0) } }
}
