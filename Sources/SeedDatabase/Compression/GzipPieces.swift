package import SeedFormat
import SeedSystem

/// A gzip member as the document in it, expanded while it is read.
package final class GzipPieces {
  private let file: File
  private let limit: Int
  private let expected: Compression.Measure?
  private let decoder: GzipDecoder
  private var meter = Meter()
  private var length = 0
  private var isComplete = false

  /// Compressed bytes that are expanded at a time: few, for they may become a thousand times as many.
  private static let pieceBytes = 16 * 1024

  /// A file's member, and what the whole document must come to.
  package convenience init(file path: String, expected: Compression.Measure) throws {
    try self.init(path, limit: expected.length, expected)
  }

  /// A file's member, of whose document at most `limit` bytes are read.
  package convenience init(file path: String, limit: Int) throws { try self.init(path, limit: limit, nil) }

  private init(_ path: String, limit: Int, _ expected: Compression.Measure?) throws {
    (self.limit, self.expected) = (limit, expected)
    file = try File(path, for: .reading)
    decoder = try GzipDecoder()
  }

  /// The document's pieces. Where a measure is expected, only what was read to the end is proven.
  package var source: DocumentPieces.Source {
    { [self] take in
      if isComplete { return false }
      try expand(take)
      return true
    }
  }

  private func expand(_ take: (UnsafeRawBufferPointer) -> Void) throws {
    let piece = try file.read(Self.pieceBytes)
    isComplete = piece.count < Self.pieceBytes
    try decoder.process(piece, isLast: isComplete) { piece in
      if expected != nil { meter.take(piece) }
      length += piece.count
      guard length <= limit else { throw CompressionError.tooLong(limit: limit) }
      piece.withUnsafeBytes(take)
    }
    if isComplete, let expected, meter.measure() != expected { throw CompressionError.otherContent }
  }
}
