/// A document on its way to a reader, in pieces that nobody has to hold together.
package enum DocumentPieces {
  /// Hands the next piece to `take`, which must not keep it; false where there is no more.
  package typealias Source = (_ take: (UnsafeRawBufferPointer) -> Void) throws -> Bool

  /// Bytes of a document in memory that are handed on at a time.
  private static let pieceBytes = 64 * 1024

  /// The pieces of a document in memory.
  package static func of(_ document: [UInt8]) -> Source {
    var taken = 0
    return { take in
      guard taken < document.count else { return false }
      let end = min(taken + pieceBytes, document.count)
      document.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[taken..<end])) }
      taken = end
      return true
    }
  }
}
