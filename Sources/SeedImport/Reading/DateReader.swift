import SeedDatabase
import SeedFormat
import SeedSystem

/// Parses dates in one format and converts them to the column's form.
struct DateReader {
  let format: ImportConversion.DateFormat
  let form: ImportConversion.DateForm
  let zone: Int

  /// Seconds from 1970 to 2001, the epoch of Core Data.
  private static let coreDataOrigin: Int64 = 978_307_200

  var name: String {
    switch format {
    case .iso8601: "an ISO 8601 date"
    case .seconds: "seconds since 1970"
    case .milliseconds: "milliseconds since 1970"
    }
  }

  func instant(_ text: UnsafeBufferPointer<UInt8>) -> UTCTime.Instant? {
    switch format {
    case .iso8601: UTCTime.parse(iso8601: text, zone: zone)
    case .seconds, .milliseconds:
      switch spelledNumber(text) {
      case .integer(let value)?: instant(value)
      case .real(let value)?: instant(value)
      default: nil
      }
    }
  }

  func instant(_ number: Int64) -> UTCTime.Instant? {
    switch format {
    case .seconds: return (number, 0)
    case .milliseconds:
      let (seconds, rest) = number.quotientAndRemainder(dividingBy: 1000)
      return rest < 0 ? (seconds - 1, Double(rest + 1000) / 1000) : (seconds, Double(rest) / 1000)
    case .iso8601: return nil
    }
  }

  func instant(_ number: Double) -> UTCTime.Instant? {
    let seconds: Double
    switch format {
    case .seconds: seconds = number
    case .milliseconds: seconds = number / 1000
    case .iso8601: return nil
    }
    return Int64(exactly: seconds.rounded(.down)).map { ($0, seconds - seconds.rounded(.down)) }
  }

  /// The column's value; `nil` if it is out of range. A fraction never makes a column of integers REAL.
  func value(_ instant: UTCTime.Instant, _ affinity: Affinity) -> SeedValue? {
    switch form {
    case .seconds: return Self.seconds(instant.seconds, instant.fraction, affinity)
    case .coredata:
      let (seconds, isBeyond) = instant.seconds.subtractingReportingOverflow(Self.coreDataOrigin)
      return isBeyond ? nil : Self.seconds(seconds, instant.fraction, affinity)
    case .milliseconds:
      let (whole, isBeyond) = instant.seconds.multipliedReportingOverflow(by: 1000)
      let rest = Int64((instant.fraction * 1000).rounded())
      let (sum, isTooLarge) = whole.addingReportingOverflow(rest)
      return isBeyond || isTooLarge ? nil : .integer(sum)
    }
  }

  private static func seconds(_ seconds: Int64, _ fraction: Double, _ affinity: Affinity) -> SeedValue {
    fraction == 0 || affinity == .integer ? .integer(seconds) : .real(Double(seconds) + fraction)
  }
}
