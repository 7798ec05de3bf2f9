import SeedDatabase
import SeedFormat
import SeedSystem

/// Hands on a document's bytes, expanded where their first two say that they are gzip.
package final class DocumentUnpacker {
  private enum Content {
    case unknown([UInt8])
    case plain
    case gzip(GzipDecoder)
  }

  private var content = Content.unknown([])

  /// RFC 1952 §2.3.1.
  private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

  package init() {}

  /// Takes the next piece.
  package func take(_ piece: [UInt8], _ sink: ([UInt8]) throws -> Void) throws {
    switch content {
    case .plain: try sink(piece)
    case .gzip(let decoder): try decoder.process(piece, isLast: false, sink)
    case .unknown(let earlier):
      let start = earlier + piece
      content = .unknown(start)
      guard start.count >= Self.gzipMagic.count else { return }
      content = start.starts(with: Self.gzipMagic) ? .gzip(try GzipDecoder(takesMembers: true)) : .plain
      try take(start, sink)
    }
  }

  /// Ends the document; a compressed one must be complete.
  package func end(_ sink: ([UInt8]) throws -> Void) throws {
    switch content {
    case .plain: return
    case .gzip(let decoder): try decoder.process([], isLast: true, sink)
    case .unknown(let bytes): try sink(bytes)
    }
  }

  /// Hands on a whole file, piece by piece.
  package static func read(_ path: String, pieces: Int, _ sink: ([UInt8]) throws -> Void) throws {
    let file = try File(path, for: .reading)
    let unpacker = DocumentUnpacker()
    while true {
      let piece = try file.read(max(1, pieces))
      guard !piece.isEmpty else { return try unpacker.end(sink) }
      try unpacker.take(piece, sink)
    }
  }
}
