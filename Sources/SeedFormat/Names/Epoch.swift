/// The random ID of a series' history. A new one makes every client download a snapshot.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// Sixteen lower-case hexadecimal digits.
  public let text: String

  package static let length = 16

  /// Throws unless `text` is 16 lower-case hexadecimal digits.
  public init(_ text: String) throws(InvalidName) {
    guard let bytes = hexBytes(text), bytes.count * 2 == Self.length else {
      throw InvalidName("epoch", found: text, expected: "\(Self.length) lower-case hexadecimal digits")
    }
    self.text = text
  }

  package static func random() -> Epoch {
    Epoch(bytes: (0..<length / 2).map { _ in .random(in: .min ... .max) })
  }

  private init(bytes: [UInt8]) { text = lowerHex(bytes) }

  /// The digits.
  public var description: String { text }
}
