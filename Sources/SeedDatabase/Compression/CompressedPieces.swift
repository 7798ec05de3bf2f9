package import SeedFormat
import SeedSystem
package import SeedTrust

/// The document in a compressed file, expanded while it is read.
package final class CompressedPieces {
  private let file: File
  private let limit: Int
  private let expected: Compression.Measure?
  private let decoder: any StreamCodec
  private var meter = Meter()
  private var length = 0
  private var isComplete = false

  /// Compressed bytes expanded at a time; few, because they may grow a thousandfold.
  private static let pieceBytes = 16 * 1024

  /// Checks the document against `expected` at its end.
  package convenience init(
    file path: String, _ encoding: ContentEncoding = .gzip, expected: Compression.Measure
  ) throws {
    try self.init(path, encoding, limit: expected.length, expected)
  }

  /// Throws if the document exceeds `limit` bytes.
  package convenience init(file path: String, _ encoding: ContentEncoding = .gzip, limit: Int) throws {
    try self.init(path, encoding, limit: limit, nil)
  }

  private init(_ path: String, _ encoding: ContentEncoding, limit: Int, _ expected: Compression.Measure?)
    throws
  {
    (self.limit, self.expected) = (limit, expected)
    file = try File(path, for: .reading)
    decoder = try Compression.decoder(encoding)
  }

  /// The document's pieces. An expected measure is proven only once the document is read to its end.
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
