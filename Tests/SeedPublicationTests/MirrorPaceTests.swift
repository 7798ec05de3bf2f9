import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct MirrorPaceTests {
  private let stamp: FileStamp
  private let newer: FileStamp
  private let start = ContinuousClock.now

  init() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let file = folder("timestamp.json")
    try DurableFile.write([1], to: file)
    stamp = try #require(try FileStamp(file))
    try DurableFile.write([1, 2], to: file)
    newer = try #require(try FileStamp(file))
  }

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

  @Test func `a new publication is mirrored at once and an unchanged one is checked every minute`() {
    var pace = MirrorPace(start)
    #expect(pace.isDue(nil, at: start) && !pace.shows(stamp))
    pace.succeeded(stamp, at: start)
    #expect(!pace.isDue(stamp, at: at(59)) && pace.isDue(stamp, at: at(60)) && pace.shows(stamp))
    #expect(pace.isDue(newer, at: start) && !pace.shows(newer))
  }

  @Test
  func `retries of an unavailable store back off to a minute and reset after success`() {
    var pace = MirrorPace(start)
    pace.succeeded(stamp, at: start)
    var (second, waits) = (0, [Int]())
    for _ in 0..<9 {
      pace.failed(at: at(second))
      #expect(pace.isFailing && !pace.shows(stamp))
      // A new publication does not shorten the wait.
      let wait = (1...200).first { pace.isDue(newer, at: at(second + $0)) } ?? 0
      waits.append(wait)
      second += wait
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    pace.succeeded(newer, at: at(second))
    #expect(
      !pace.isFailing && !pace.isDue(newer, at: at(second + 1)) && pace.isDue(stamp, at: at(second + 1)))
  }
}
