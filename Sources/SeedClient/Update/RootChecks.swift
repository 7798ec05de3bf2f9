import SeedSystem

/// Decides when a look that may find nothing new asks for the next root all the same. Pure.
struct RootChecks: Sendable {
  /// Seconds between two such looks, by the device's clock; at each one if 0.
  let everySeconds: Int
  private var last: UTCTime?

  init(everySeconds: Int) { self.everySeconds = everySeconds }

  /// Also where the clock was set back.
  func isDue(_ now: UTCTime) -> Bool {
    guard let last else { return true }
    let passed = now.secondsSinceEpoch - last.secondsSinceEpoch
    return passed < 0 || passed >= everySeconds
  }

  mutating func note(_ now: UTCTime) { last = now }
}
