import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// A record is one line, whatever its text contains.
@Suite struct LogTests {
  private let time = UTCTime(secondsSinceEpoch: 1_785_585_600)
  private let record = LogRecord(
    .notice, "It \"changed\"\nand = more",
    [JSONMember("series", "transit/2"), JSONMember("version", 3), JSONMember("why", "")])

  @Test func `text lines are name and value pairs with quotes if a parser needs them`() {
    #expect(
      LogFormat.text.line(record, at: time)
        == #"time=2026-08-01T12:00:00Z level=notice msg="It \"changed\"\nand = more" series=transit/2 version=3 why="""#
    )
  }

  @Test func `a JSON record is one object on one line`() throws {
    let line = LogFormat.json.line(record, at: time)
    #expect(!line.contains("\n"))
    let value = try JSONValue(parsing: Array(line.utf8))
    #expect(value["msg"]?.string == record.message && value["version"]?.integer == 3)
    #expect(value["time"]?.string == time.text && value["level"]?.string == "notice")
  }

  @Test func `log levels rise from debug to error`() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    #expect(LogLevel.allCases.map(\.rawValue) == ["debug", "info", "notice", "warning", "error"])
  }
}
