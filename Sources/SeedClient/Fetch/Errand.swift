import SeedDatabase

/// One update, for those who fetch for it: what it may do, who hears of it, and what it has cost.
struct Errand: Sendable {
  var policy = UpdatePolicy()
  var phases = PhaseSender.silent
  private let traffic = Shared(UpdateTraffic())

  /// What it has cost so far.
  var cost: UpdateTraffic { traffic.withLock { $0 } }

  /// Counts.
  func count(_ change: (inout UpdateTraffic) -> Void) { traffic.withLock { change(&$0) } }
}
