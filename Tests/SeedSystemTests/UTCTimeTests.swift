import SeedSystem
import Support
import Testing

@Suite struct UTCTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T12:34:56Z", 951_827_696),
    ("2026-11-20T15:00:00Z", 1_795_186_800), ("2038-01-19T03:14:08Z", 2_147_483_648),
    ("2100-02-28T23:59:59Z", 4_107_542_399), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("0000-01-01T00:00:00Z", -62_167_219_200),
  ])
  func `a time is parsed and formatted exactly`(text: String, seconds: Int) throws {
    #expect(UTCTime(text)?.secondsSinceEpoch == seconds)
    #expect(UTCTime(secondsSinceEpoch: seconds).text == text)
  }

  @Test(arguments: [
    "", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00z", "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00.0Z", "2026-01-01T00:00:00+00:00", "26-01-01T00:00:00Z", "+026-01-01T00:00:00Z",
    "2026-1-01T00:00:00ZZ", " 2026-01-01T00:00:00Z", "٢٠26-01-01T00:00:00Z", "2026/01/01T00:00:00Z",
  ])
  func `an inexact time is rejected`(text: String) {
    #expect(UTCTime(text) == nil)
  }

  @Test func `every day of the calendar agrees with libc`() throws {
    for day in stride(from: -719_528, to: 2_932_896, by: Stage.pick(quick: 499, full: 97, deep: 97)) {
      var seconds = time_t(day * 86_400 + (day &* 7919) % 43_200 + 43_200)
      var fields = tm()
      gmtime_r(&seconds, &fields)
      var buffer = [CChar](repeating: 0, count: 64)
      let length = strftime(&buffer, buffer.count, "%m-%dT%H:%M:%SZ", &fields)
      let expected = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let written = UTCTime(secondsSinceEpoch: seconds).text
      #expect(written.hasSuffix(expected))
      #expect(Int(written.prefix(4)) == Int(fields.tm_year) + 1900)
      #expect(UTCTime(written)?.secondsSinceEpoch == seconds)
    }
  }

  @Test func `a time beyond four digits of a year becomes the nearest one`() {
    #expect(UTCTime(secondsSinceEpoch: .max).text == "9999-12-31T23:59:59Z")
    #expect(UTCTime.distantPast.text == "0000-01-01T00:00:00Z")
  }
}
