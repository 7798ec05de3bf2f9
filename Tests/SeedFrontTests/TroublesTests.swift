import SeedSystem
import Support
import Testing

@testable import SeedFront

@Suite struct TroublesTests {
  @Test func `the end of a problem is reported once with its total duration`() {
    var troubles = Troubles<String>()
    let start = ContinuousClock.now
    func follow(_ topic: String, _ isOn: Bool, _ seconds: Int) -> Duration? {
      troubles.follow(topic, isOn: isOn, at: start.advanced(by: .seconds(seconds)))
    }
    #expect(follow("a", false, 0) == nil, "there was none")
    #expect(follow("a", true, 1) == nil)
    #expect(follow("b", true, 5) == nil)
    #expect(follow("a", true, 9) == nil, "it lasts")
    #expect(follow("a", false, 11) == .seconds(10))
    #expect(follow("a", false, 12) == nil)
    #expect(follow("b", false, 20) == .seconds(15))
  }
}
