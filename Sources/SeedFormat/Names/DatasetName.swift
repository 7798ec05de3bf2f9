/// The name of a body of reference data, such as `transit`.
///
/// It stands in URLs, file names and TUF role names, so it is lower-case ASCII throughout.
public struct DatasetName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as text.
  public let text: String

  /// Fails where `text` is not a lower-case letter followed by lower-case letters, digits and hyphens.
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

  /// Names sort as their bytes do.
  public static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  /// The name itself.
  public var description: String { text }
}

extension DatasetName: ExpressibleByStringLiteral {
  /// A name written in source code; one that is not valid is a programmer's error and stops here.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(_:)) }
}
