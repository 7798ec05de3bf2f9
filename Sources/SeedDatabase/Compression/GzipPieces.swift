package import SeedFormat
import SeedSystem

/// A gzip member as the document in it, expanded while it is read.
package final class GzipPieces {
  private let next: () throws -> [UInt8]
  private let limit: Int
  private let expected: Compression.Measure?
  private let decoder: GzipDecoder
  private var meter = Meter()
  private var length = 0
  private var isComplete = false

  /// Compressed bytes that are expanded at a time: few, for they may become a thousand times as many.
  private static let pieceBytes = 16 * 1024

  /// A member in memory, and what the whole document must come to.
  package convenience init(_ bytes: [UInt8], expected: Compression.Measure) throws {
    var rest = bytes[...]
    try self.init(limit: expected.length, expected) {
      defer { rest = rest.dropFirst(Self.pieceBytes) }
      return Array(rest.prefix(Self.pieceBytes))
    }
  }

  /// A file's member, of whose document at most `limit` bytes are read.
  package convenience init(file path: String, limit: Int) throws {
    let file = try File(path, for: .reading)
    try self.init(limit: limit, nil) { try file.read(Self.pieceBytes) }
  }

  private init(limit: Int, _ expected: Compression.Measure?, _ next: @escaping () throws -> [UInt8]) throws {
    (self.limit, self.expected, self.next) = (limit, expected, next)
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
    let piece = try next()
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
