import SeedSystem

/// Decides when a look checks for a new root although there is no other news. Pure.
struct RootChecks: Sendable {
  /// Seconds between such looks by the device's clock; 0 checks at each.
  let everySeconds: Int
  private var last: UTCTime?

  init(everySeconds: Int) { self.everySeconds = everySeconds }

  /// Also true if the clock was set back.
  func isDue(_ now: UTCTime) -> Bool {
    guard let last else { return true }
    let passed = now.secondsSinceEpoch - last.secondsSinceEpoch
    return passed < 0 || passed >= everySeconds
  }

  mutating func note(_ now: UTCTime) { last = now }
}
