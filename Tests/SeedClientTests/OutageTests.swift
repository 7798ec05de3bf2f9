import Support
import Testing

@testable import SeedClient

/// Many devices through an outage: pure, over the waits that ``Pace`` decides on.
@Suite struct OutageTests {
  /// Devices that look in one second, in the mean, where chance alone would double that hardly ever.
  private static let mean = 110
  private static let most = 3.0

  /// The looks of each second after an outage, until all devices have had two looks' time.
  private static func looks(
    devices: Int, pollSeconds: Int, outage: Double, retryAfter: (_ now: Double) -> Duration? = { _ in nil }
  ) -> [Int] {
    let (pace, begin) = (Pace(pollSeconds: pollSeconds), Double(pollSeconds))
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
        time += pace.wait(afterFailures: failures, chance: chance(), asked: asked) / .seconds(1)
      }
    }
    return seconds
  }

  @Test func `ten thousand devices come back from ten minutes without a server spread over their pace`()
    throws
  {
    let (devices, pollSeconds) = (10_000, 60)
    let seconds = Self.looks(devices: devices, pollSeconds: pollSeconds, outage: 600)
    let mean = Double(devices) / Double(pollSeconds)
    #expect(Double(try #require(seconds.max())) <= Self.most * mean)
    // They do come: within each pace after the outage as many as ever.
    #expect(Double(seconds.reduce(0, +)) >= 1.8 * Double(devices))
  }

  @Test(arguments: [60, 300, 900, 1800], [60, 600, 1800])
  func `whatever the pace and the outage, no second has three times the mean`(
    _ pollSeconds: Int, _ outage: Int
  ) throws {
    let seconds = Self.looks(
      devices: Self.mean * pollSeconds, pollSeconds: pollSeconds, outage: Double(outage))
    #expect(Double(try #require(seconds.max())) <= Self.most * Double(Self.mean))
  }

  @Test func `devices that were all told one moment do not come in it`() throws {
    let pollSeconds = 300
    let seconds = Self.looks(
      devices: Self.mean * pollSeconds, pollSeconds: pollSeconds, outage: 600,
      retryAfter: { left in .seconds(left.rounded(.up)) })
    #expect(Double(try #require(seconds.max())) <= 1.5 * Self.most * Double(Self.mean))
  }
}
