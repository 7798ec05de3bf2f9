/// A schema's version, `major.minor`. A minor only adds; a major may change anything.
public struct ModelVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The series' number.
  public let major: Int
  /// The number of additions within the series.
  public let minor: Int

  /// Throws unless the major is in 1…999 and the minor in 0…999.
  public init(major: Int, minor: Int) throws(InvalidName) {
    try self.init("\(major).\(minor)")
  }

  /// Parses `2.1`; each part is a plain decimal without leading zeros.
  public init(_ text: String) throws(InvalidName) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { part in !part.isEmpty && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
    guard parts.count == 2, areNumbers else { throw Self.invalid(text, "major.minor, such as 2.1") }
    let (majors, minors) = (1...Limits.modelNumber, 0...Limits.modelNumber)
    guard let major = canonicalDecimal(parts[0], in: majors) else {
      throw Self.invalid(
        text, "major.minor, such as 2.1, with a major from 1 to \(Limits.modelNumber) without leading zeros")
    }
    guard let minor = canonicalDecimal(parts[1], in: minors) else {
      throw Self.invalid(
        text, "major.minor, such as 2.1, with a minor from 0 to \(Limits.modelNumber) without leading zeros")
    }
    (self.major, self.minor) = (major, minor)
  }

  private static func invalid(_ text: String, _ expected: String) -> InvalidName {
    InvalidName("model version", found: text, expected: expected)
  }

  /// Whether a client built for `other` can open a file of this version.
  public func opens(for other: ModelVersion) -> Bool { major == other.major && minor >= other.minor }

  package var userVersion: Int { major * 1000 + minor }

  /// Compares majors, then minors.
  public static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// `major.minor`.
  public var description: String { "\(major).\(minor)" }
}

extension ModelVersion: ExpressibleByStringLiteral {
  /// A version in source code; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(_:)) }
}
