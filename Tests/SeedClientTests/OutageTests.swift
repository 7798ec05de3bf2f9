import Support
import Testing

@testable import SeedClient

/// Simulates many devices after an outage, by the delays of ``PollInterval``.
@Suite struct OutageTests {
  /// Mean checks per second: 10,000 devices at the shortest poll. Chance alone almost never adds half of it.
  private static let mean = 167
  private static let most = 3.0

  /// The `Retry-After` of an outage's answers, `left` seconds before its end.
  enum Answer: CaseIterable {
    case none, end

    func retryAfter(_ left: Double) -> Duration? {
      switch self {
      case .none: nil
      // The same moment for all devices.
      case .end: .seconds(left.rounded(.up))
      }
    }
  }

  /// Checks per second after an outage, until all devices had time for two.
  private static func looks(devices: Int, pollSeconds: Int, outage: Double, _ answer: Answer) -> [Int] {
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
        let asked = isAway ? answer.retryAfter(end - time) : nil
        time += interval.wait(afterFailures: failures, chance: chance(), asked: asked) / .seconds(1)
      }
    }
    return seconds
  }

  /// The load is highest after an outage of two thirds of a poll, because devices that did not notice it check too.
  @Test(
    arguments: Stage.pick(quick: [60], full: [60, 300, 900], deep: [60, 300, 900, 1800]),
    Stage.pick(quick: [40, 600], full: [40, 600, 1800], deep: [40, 60, 600, 1200, 1800]))
  func `after an outage all devices return, and no second has three times the mean`(
    _ pollSeconds: Int, _ outage: Int
  ) throws {
    let devices = Self.mean * pollSeconds
    for answer in Answer.allCases {
      let seconds = Self.looks(devices: devices, pollSeconds: pollSeconds, outage: Double(outage), answer)
      #expect(Double(try #require(seconds.max())) <= Self.most * Double(Self.mean), "\(answer)")
      // Each interval after the outage has as many checks as before.
      #expect(Double(seconds.reduce(0, +)) >= 1.8 * Double(devices), "\(answer)")
    }
  }
}
