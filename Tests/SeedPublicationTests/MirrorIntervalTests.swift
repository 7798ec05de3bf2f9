import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct MirrorIntervalTests {
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
    var interval = MirrorInterval(start)
    #expect(interval.isDue(nil, at: start) && !interval.shows(stamp))
    interval.succeeded(stamp, at: start)
    #expect(!interval.isDue(stamp, at: at(59)) && interval.isDue(stamp, at: at(60)) && interval.shows(stamp))
    #expect(interval.isDue(newer, at: start) && !interval.shows(newer))
  }

  @Test
  func `retries of an unavailable store back off to a minute and reset after success`() {
    var interval = MirrorInterval(start)
    interval.succeeded(stamp, at: start)
    var (second, waits) = (0, [Int]())
    for _ in 0..<9 {
      interval.failed(at: at(second))
      #expect(interval.isFailing && !interval.shows(stamp))
      // A new publication does not shorten the wait.
      let wait = (1...200).first { interval.isDue(newer, at: at(second + $0)) } ?? 0
      waits.append(wait)
      second += wait
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    interval.succeeded(newer, at: at(second))
    #expect(
      !interval.isFailing && !interval.isDue(newer, at: at(second + 1))
        && interval.isDue(stamp, at: at(second + 1)))
  }
}
