/// Why a text is not the JSON that was expected, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset in bytes from the document's start.
  public let offset: Int
  /// What is wrong there, as the rest of a sentence.
  public let reason: String

  package init(at offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }

  /// One sentence with the offset.
  public var description: String { "\(reason) at byte \(offset)" }
}
