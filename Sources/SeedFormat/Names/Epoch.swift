/// The random name of a series' history. A new one sends every client to a snapshot.
public struct Epoch: Hashable, Sendable {
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
  package static func random() -> Epoch { Epoch(random: UInt64.random(in: .min ... .max)) }

  private init(random number: UInt64) {
    text = lowerHex((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }
}

extension Epoch: CustomStringConvertible {
  /// The digits.
  public var description: String { text }
}
