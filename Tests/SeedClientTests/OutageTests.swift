import Support
import Testing

@testable import SeedClient

/// Simulates many devices after an outage, by the delays of ``PollInterval``.
@Suite struct OutageTests {
  /// Mean checks per second. Chance alone almost never doubles it.
  private static let mean = 110
  private static let most = 3.0

  /// Checks per second after an outage, until all devices had time for two.
  private static func looks(
    devices: Int, pollSeconds: Int, outage: Double, retryAfter: (_ now: Double) -> Duration? = { _ in nil }
  ) -> [Int] {
    let (interval, begin) = (PollInterval(pollSeconds: pollSeconds), Double(pollSeconds))
    let (end, last) = (begin + outage, begin + outage + 2 * begin)
    var random = SplitMix(seed: 20)
    func chance() -> Double { Double.random(in: 0...1, using: &random) }
    var seconds = Array(repeating: 0, count: Int(2 * begin))
    for _ in 0..<devices {
      var (time, failures) = (chance() * begin, 0)
      while time < last {
        if time >= end { seconds[min(Int(time - end), seconds.count - 1)] += 1 }
        let isAway = (begin..<end).contains(time)
        failures = isAway ? failures + 1 : 0
        let asked = isAway ? retryAfter(end - time) : nil
        time += interval.wait(afterFailures: failures, chance: chance(), asked: asked) / .seconds(1)
      }
    }
    return seconds
  }

  @Test(
    arguments: Stage.pick(quick: [60], full: [60, 300, 900, 1800], deep: [60, 300, 900, 1800]),
    [60, 600, 1800])
  func `after an outage all devices return, and no second has three times the mean`(
    _ pollSeconds: Int, _ outage: Int
  ) throws {
    let devices = Self.mean * pollSeconds
    let seconds = Self.looks(devices: devices, pollSeconds: pollSeconds, outage: Double(outage))
    #expect(Double(try #require(seconds.max())) <= Self.most * Double(Self.mean))
    // Each interval after the outage has as many checks as before.
    #expect(Double(seconds.reduce(0, +)) >= 1.8 * Double(devices))
  }

  @Test func `devices with the same Retry-After do not return at the same moment`() throws {
    let pollSeconds = 60
    let seconds = Self.looks(
      devices: Self.mean * pollSeconds, pollSeconds: pollSeconds, outage: 600,
      retryAfter: { left in .seconds(left.rounded(.up)) })
    #expect(Double(try #require(seconds.max())) <= 1.5 * Self.most * Double(Self.mean))
  }
}
