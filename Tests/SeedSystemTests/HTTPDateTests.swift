import Foundation
import SeedSystem
import Support
import Testing

@Suite struct HTTPDateTests {
  private static let formatter: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter
  }()

  @Test func `a date is formatted like Foundation's and parsed back`() {
    for step in 0..<500 {
      let seconds = step * 30_617_281
      let text = Self.formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(UTCTime(secondsSinceEpoch: seconds).httpText == text)
      #expect(UTCTime(http: text)?.secondsSinceEpoch == seconds)
    }
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `all three date forms name the same second`(text: String) {
    #expect(UTCTime(http: text)?.secondsSinceEpoch == 784_111_777)
  }

  @Test func `a two digit year is at most fifty years ahead`() {
    let now = UTCTime(http: "Fri, 20 Nov 2026 12:00:00 GMT")!
    #expect(UTCTime(http: "Thursday, 20-Nov-75 12:00:00 GMT", now: now) == nil)
    #expect(
      UTCTime(http: "Wednesday, 20-Nov-75 12:00:00 GMT", now: now)?.httpText
        == "Wed, 20 Nov 2075 12:00:00 GMT")
    #expect(UTCTime(http: "Saturday, 20-Nov-76 12:00:00 GMT", now: now) == nil)
    #expect(
      UTCTime(http: "Friday, 20-Nov-76 12:00:00 GMT", now: now)?.httpText == "Fri, 20 Nov 2076 12:00:00 GMT")
    #expect(
      UTCTime(http: "Sunday, 20-Nov-77 12:00:00 GMT", now: now)?.httpText == "Sun, 20 Nov 1977 12:00:00 GMT")
  }

  @Test(arguments: [
    "", "GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Wed, 30 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov -994 08:49:37 GMT",
    "Sun, 06 Nov 99999999999 08:49:37 GMT", "Sun, 06 Nov 2147483647 08:49:37 GMT",
  ])
  func `an invalid date is rejected`(text: String) { #expect(UTCTime(http: text) == nil) }
}
