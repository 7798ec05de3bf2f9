import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct RepetitionTests {
  private enum Work { case changes, snapshots }

  @Test func `a failure is reported once, until its reason changes or the work succeeds`() {
    let (failures, start) = (RepeatedFailures<Work>(), ContinuousClock.now)
    #expect(failures.isNews("one", of: .snapshots, at: start))
    #expect(!failures.isNews("one", of: .snapshots))
    #expect(failures.isNews("one", of: .changes))
    #expect(failures.isNews("two: 12 rows", of: .snapshots))
    #expect(!failures.isNews("two: 345 rows", of: .snapshots))
    #expect(failures.end(.snapshots, at: start.advanced(by: .seconds(9))) == TimeSpan(.seconds(9)))
    #expect(failures.end(.snapshots) == nil)
    #expect(failures.isNews("two", of: .snapshots))
  }

  @Test func `many warnings of earlier days are forgotten`() {
    let (warnings, first) = (RepeatedWarnings(), UTCTime(secondsSinceEpoch: 0))
    for number in 0..<256 { #expect(warnings.isDue("\(number)", now: first)) }
    #expect(!warnings.isDue("0", now: first))
    #expect(warnings.isDue("new", now: first.adding(days: 2)))
    // Only a clock that was set back shows that it is forgotten.
    #expect(warnings.isDue("0", now: first))
  }
}
