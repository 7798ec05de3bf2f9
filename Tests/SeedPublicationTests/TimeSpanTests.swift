import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct TimeSpanTests {
  @Test(arguments: [
    (0, "0 seconds"), (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (7199, "119 minutes"),
    (7200, "2 hours"), (172_799, "47 hours"), (172_800, "2 days"), (86_400 * 800, "800 days"),
  ])
  func `a duration uses the largest unit with at least two`(_ seconds: Int, _ text: String) {
    #expect(TimeSpan(seconds: seconds).description == text)
  }

  @Test(arguments: [("90s", 90), ("15m", 900), ("26h", 93_600), ("3d", 259_200)])
  func `a duration is a number and a unit`(_ text: String, _ seconds: Int) {
    #expect(TimeSpan(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "h", "5", "0h", "-1h", "1.5h", "1 h", "1w", "01h", "9999999999999999999d", "1000001s",
  ])
  func `an invalid duration is rejected`(_ text: String) { #expect(TimeSpan(text) == nil) }

  @Test func `an age is never negative when clocks disagree`() {
    let now = UTCTime.now()
    #expect(TimeSpan(from: now.adding(seconds: 5), to: now) == TimeSpan(seconds: 0))
  }
}
