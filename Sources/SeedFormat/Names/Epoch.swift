/// The random name of a series' history. A new one sends every client to a snapshot.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// Sixteen lower-case hexadecimal digits.
  public let text: String

  /// Hexadecimal digits in an epoch.
  package static let length = 16

  /// Fails where `text` is not 16 lower-case hexadecimal digits.
  public init(_ text: String) throws(InvalidName) {
    guard let bytes = hexBytes(text), bytes.count * 2 == Self.length else {
      throw InvalidName("epoch", found: text, expected: "\(Self.length) lower-case hexadecimal digits")
    }
    self.text = text
  }

  /// A new name out of the system's generator.
  package static func random() -> Epoch {
    Epoch(bytes: (0..<length / 2).map { _ in .random(in: .min ... .max) })
  }

  private init(bytes: [UInt8]) { text = lowerHex(bytes) }

  /// The digits.
  public var description: String { text }
}
