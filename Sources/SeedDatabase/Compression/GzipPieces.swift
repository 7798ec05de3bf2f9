package import SeedFormat

/// A gzip member as the document in it, expanded while it is read.
package final class GzipPieces {
  private let bytes: [UInt8]
  private let expected: Compression.Measure
  private let decoder: GzipDecoder
  private var taken = 0
  private var meter = Meter()
  private var isComplete = false

  /// Compressed bytes that are expanded at a time.
  private static let pieceBytes = 16 * 1024

  /// The member's bytes, and what the whole document must come to.
  package init(_ bytes: [UInt8], expected: Compression.Measure) throws {
    self.bytes = bytes
    self.expected = expected
    decoder = try GzipDecoder()
  }

  /// The document's pieces. Its measure is known behind the last of them: only then is what was read proven.
  package var source: DocumentPieces.Source {
    { [self] take in
      if isComplete { return false }
      try expand(take)
      return true
    }
  }

  private func expand(_ take: (UnsafeRawBufferPointer) -> Void) throws {
    let end = min(taken + Self.pieceBytes, bytes.count)
    isComplete = end == bytes.count
    try decoder.process(Array(bytes[taken..<end]), isLast: isComplete) { piece in
      meter.take(piece)
      guard meter.length <= expected.length else { throw CompressionError.tooLong(limit: expected.length) }
      piece.withUnsafeBytes(take)
    }
    taken = end
    if isComplete, meter.measure() != expected { throw CompressionError.otherContent }
  }
}
