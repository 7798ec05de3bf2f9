/// A consecutive number per series, from 1, incremented by each publication that changes the series.
public struct SeedVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let number: Int

  /// The first version of a series.
  public static let first = SeedVersion(unchecked: 1)

  /// Throws below 1 and above 2^53 − 1.
  public init(_ number: Int) throws(InvalidName) {
    guard number >= 1, Int64(number) <= Limits.exactJSONInteger else { throw Self.invalid("\(number)") }
    self.number = number
  }

  /// Parses a plain decimal without sign or leading zeros.
  public init(_ text: String) throws(InvalidName) {
    guard let number = canonicalDecimal(text, in: 1...Int(Limits.exactJSONInteger)) else {
      throw Self.invalid(text)
    }
    self.number = number
  }

  private static func invalid(_ text: String) -> InvalidName {
    InvalidName(
      "version", found: text, expected: "a whole number from 1 to \(Limits.exactJSONInteger)")
  }

  private init(unchecked number: Int) { self.number = number }

  package var next: SeedVersion { SeedVersion(unchecked: number + 1) }

  /// Compares numbers.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The number.
  public var description: String { "\(number)" }
}

extension SeedVersion: ExpressibleByIntegerLiteral {
  /// A version in source code; traps if it is invalid.
  public init(integerLiteral number: Int) {
    do {
      try self.init(number)
    } catch { preconditionFailure("\(error)") }
  }
}
