import SeedPublication
import SeedSystem
import Support
import Testing

@testable import SeedFront

@Suite struct TroublesTests {
  @Test func `the end of a problem is reported once with its total duration`() {
    let start = ContinuousClock.now
    let second = Mutex(0)
    let messages = Mutex<[String]>([])
    let log = OperatorLog(now: { start.advanced(by: .seconds(second.withLock(\.self))) }) { record in
      messages.withLock { $0.append(record.message) }
    }
    func follow(_ trouble: String, _ isOn: Bool, at time: Int) -> [String] {
      second.withLock { $0 = time }
      messages.withLock { $0 = [] }
      log.follow(isOn, end: trouble)
      return messages.withLock(\.self)
    }
    #expect(follow("It answers again", false, at: 0) == [], "there was none")
    #expect(follow("It answers again", true, at: 1) == [])
    #expect(follow("It can be loaded again", true, at: 5) == [])
    #expect(follow("It answers again", true, at: 9) == [], "it lasts")
    #expect(
      follow("It answers again", false, at: 11).first?.hasSuffix("answers again, after 10 seconds") == true)
    #expect(follow("It answers again", false, at: 12) == [])
    #expect(
      follow("It can be loaded again", false, at: 20).first?.hasSuffix("loaded again, after 15 seconds")
        == true)
  }
}
