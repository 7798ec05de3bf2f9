package import SeedFormat
import SeedSystem
import SeedTrust

// Documents that are never in memory as a whole.
extension Compression {
  /// zlib's level for documents in pieces, the same as for documents in memory.
  private static let documentLevel: Int32 = 6

  /// Writes a document that comes in pieces to a new file, synced, as one gzip member that can be spliced.
  package static func gzip(
    to destination: String, _ document: (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> (raw: Measure, stored: Measure) {
    let target = try File(destination, for: .replacing)
    let encoder = try GzipEncoder(level: documentLevel, isSpliceable: true)
    var raw = SHA256Hasher()
    var length = 0
    try document { piece in
      raw.update(piece)
      length += piece.count
      try encoder.process(piece, isLast: false) { try target.write($0) }
    }
    try encoder.process([], isLast: true) { try target.write($0) }
    try target.sync()
    let stored = try SHA256Digest.ofFile(at: destination)
    return (
      Measure(length: length, sha256: raw.finish()), Measure(length: stored.length, sha256: stored.digest)
    )
  }

  /// The document in a file's gzip member, at most `limit` bytes of it.
  package static func pieces(ofGzip path: String, limit: Int) throws -> DocumentPieces.Source {
    let source = try GzipSource(path, limit: limit)
    return { take in try source.next(take) }
  }
}

/// Expands a file as its reader asks for more.
private final class GzipSource {
  private let file: File
  private let decoder: GzipDecoder
  private let limit: Int
  private var length = 0
  private var isComplete = false

  /// Bytes of the file that are expanded at a time: few, for they may become a thousand times as many.
  private static let readBytes = 16 * 1024

  init(_ path: String, limit: Int) throws {
    file = try File(path, for: .reading)
    decoder = try GzipDecoder()
    self.limit = limit
  }

  func next(_ take: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
    guard !isComplete else { return false }
    let piece = try file.read(Self.readBytes)
    isComplete = piece.count < Self.readBytes
    try decoder.process(piece, isLast: isComplete) { expanded in
      length += expanded.count
      guard length <= limit else { throw CompressionError.tooLong(limit: limit) }
      expanded.withUnsafeBytes(take)
    }
    return true
  }
}
