import SeedPublication
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
}
