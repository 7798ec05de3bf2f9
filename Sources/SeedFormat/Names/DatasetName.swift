/// The name of a dataset, such as `transit`: lower-case ASCII, for use in URLs, file names and TUF role names.
public struct DatasetName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as text.
  public let text: String

  /// Throws unless `text` is a lower-case letter followed by lower-case letters, digits and hyphens.
  public init(_ text: String) throws(InvalidName) {
    let bytes = Array(text.utf8)
    let letters: ClosedRange<UInt8> = 0x61...0x7A
    let allowed = bytes.allSatisfy { letters.contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    guard let first = bytes.first, letters.contains(first), allowed, bytes.last != 0x2D,
      bytes.count <= Limits.datasetNameLength
    else {
      throw InvalidName(
        "dataset name", found: text,
        expected: "a lower-case letter, then at most \(Limits.datasetNameLength - 1) of a-z, 0-9 and -")
    }
    self.text = text
  }

  /// Sorts by bytes.
  public static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  /// The name itself.
  public var description: String { text }
}

extension DatasetName: ExpressibleByStringLiteral {
  /// A name in source code; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(_:)) }
}
