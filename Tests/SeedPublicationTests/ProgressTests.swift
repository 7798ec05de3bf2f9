import SeedPublication
import Testing

@Suite struct ProgressTests {
  @Test func `a line shows share, sizes, pace and remaining time`() {
    var meter = ProgressMeter("snapshot-1.sqlite.gz", total: 20_000_000, at: .zero)
    meter.note(0, at: .zero)
    #expect(meter.line(in: 120) == "snapshot-1.sqlite.gz: 0 %, 0 bytes of 20.0 MB")
    meter.note(5_000_000, at: .seconds(2))
    #expect(
      meter.line(in: 120)
        == "snapshot-1.sqlite.gz: 25 %, 5.0 MB of 20.0 MB, 2.5 MB/s, 0:06")
    meter.note(20_000_000, at: .seconds(8))
    #expect(
      meter.line(in: 120)
        == "snapshot-1.sqlite.gz: 100 %, 20.0 MB of 20.0 MB, 2.5 MB/s")
  }

  @Test func `bytes from an earlier attempt do not count as pace`() {
    var meter = ProgressMeter("s", total: 10_000_000, at: .zero)
    meter.note(8_000_000, at: .zero)
    meter.note(9_000_000, at: .seconds(2))
    #expect(meter.line(in: 120).hasSuffix("500.0 kB/s, 0:02"))
  }

  @Test func `a stall shows in the pace`() {
    var meter = ProgressMeter("s", total: 10_000_000, at: .zero)
    for second in 0...60 { meter.note(min(second, 10) * 100_000, at: .seconds(second)) }
    #expect(meter.line(in: 120).hasSuffix("10 %, 1.0 MB of 10.0 MB, 0 bytes/s"))
  }

  @Test func `the last parts are left out if the terminal is too narrow`() {
    var meter = ProgressMeter("downloading", total: 10_000_000, at: .zero)
    meter.note(5_000_000, at: .zero)
    #expect(meter.line(in: 37) == "downloading: 50 %, 5.0 MB of 10.0 MB")
    #expect(meter.line(in: 36) == "downloading: 50 %")
  }

  @Test func `rows are shown with their pace, and the remaining time follows from the bytes of the source`() {
    var meter = ProgressMeter("importing", total: 1_000_000, at: .zero)
    meter.note(0, rows: 0, at: .zero)
    meter.note(250_000, rows: 8_000, at: .seconds(4))
    #expect(meter.line(in: 60) == "importing: 25 %, 8,000 rows, 2,000 rows/s, 0:12")
    #expect(meter.line(in: 42) == "importing: 25 %, 8,000 rows, 2,000 rows/s")
    #expect(meter.line(in: 20) == "importing: 25 %")
    var pipe = ProgressMeter("importing", total: nil, at: .zero)
    pipe.note(0, rows: 10, at: .zero)
    #expect(pipe.line(in: 120) == "importing: 10 rows")
    pipe.note(9, rows: 8_010, at: .seconds(4))
    #expect(pipe.line(in: 120) == "importing: 8,010 rows, 2,000 rows/s")
  }

  @Test func `a log gets a progress line every ten seconds`() {
    var meter = ProgressMeter("s", total: 100, at: .seconds(5))
    var lines: [Int] = []
    for second in 5...40 {
      meter.note(second, at: .seconds(second))
      if meter.line(at: .seconds(second)) != nil { lines.append(second) }
    }
    #expect(lines == [15, 25, 35])
  }
}
