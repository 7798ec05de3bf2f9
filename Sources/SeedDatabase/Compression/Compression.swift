package import SeedFormat
import SeedSystem
package import SeedTrust

import class Foundation.ProcessInfo

/// Compresses and expands files and documents, and measures their lengths and hashes.
package enum Compression {
  private static let readBytes = 256 * 1024
  /// The number of compressed bytes that a reader expands at a time; the output may be a thousand times longer.
  private static let pieceBytes = 16 * 1024

  package struct Measure: Hashable, Sendable {
    package let length: Int
    package let sha256: SHA256Digest

    package init(length: Int, sha256: SHA256Digest) {
      self.length = length
      self.sha256 = sha256
    }

    package init(of bytes: [UInt8]) { self.init(length: bytes.count, sha256: SHA256Digest.of(bytes)) }
  }

  /// Compresses a document to one gzip member that ``GzipSplice`` can join with others.
  package static func gzip(_ document: [UInt8]) throws -> [UInt8] {
    var output: [UInt8] = []
    try GzipEncoder().process(document, isLast: true) { output += $0 }
    return output
  }

  /// Writes a document that arrives in pieces to a new, synced file, as one spliceable gzip member.
  package static func gzip(
    to destination: String, _ document: (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> (raw: Measure, stored: Measure) { try transform(document, to: destination, GzipEncoder()) }

  /// Compresses a file into a new, synced one; returns the measures of input and output. For xz, uses only one
  /// thread, because several threads would write several blocks, and some readers accept only one block.
  package static func compress(
    _ path: String, to destination: String, _ encoding: ContentEncoding, threads: Int = processors
  ) throws -> (raw: Measure, stored: Measure) {
    switch encoding {
    case .gzip: try ParallelGzip(path, to: destination).run(threads: threads)
    case .xz: try transform(contents(of: path), to: destination, xzEncoder())
    }
  }

  private static func xzEncoder() throws(CompressionError) -> any StreamCodec {
    #if canImport(CLZMA)
    try XZCodec(compressing: ())
    #else
    throw .noEncoder(.xz)
    #endif
  }

  package static let processors = ProcessInfo.processInfo.activeProcessorCount

  /// Expands a file into a new, synced one; throws once the output exceeds `limit` bytes. `onBytes` receives the
  /// number of bytes in each piece; an error that it throws stops the expansion.
  package static func expand(
    _ path: String, to destination: String, _ encoding: ContentEncoding, limit: Int,
    onBytes: @escaping (Int) throws -> Void = { _ in }
  ) throws -> Measure {
    try transform(contents(of: path), to: destination, decoder(encoding), limit: limit, onBytes: onBytes)
      .stored
  }

  static func decoder(_ encoding: ContentEncoding) throws -> any StreamCodec {
    switch encoding {
    case .gzip: try GzipDecoder()
    case .xz: try XZCodec()
    }
  }

  /// The document in a compressed file, expanded while it is read. Reading throws if the document exceeds `limit` bytes.
  package static func pieces(
    of path: String, _ encoding: ContentEncoding = .gzip, limit: Int
  ) throws -> DocumentPieces.Source {
    let file = try File(path, for: .reading)
    let decoder = try decoder(encoding)
    var length = 0
    var isComplete = false
    return { take in
      if isComplete { return false }
      let piece = try file.read(pieceBytes)
      isComplete = piece.count < pieceBytes
      try decoder.process(piece, isLast: isComplete) { piece in
        length += piece.count
        guard length <= limit else { throw CompressionError.tooLong(limit: limit) }
        piece.withUnsafeBytes(take)
      }
      return true
    }
  }

  private typealias Document = (_ take: ([UInt8]) throws -> Void) throws -> Void

  private static func contents(of path: String) throws -> Document {
    let file = try File(path, for: .reading)
    return { take in
      while true {
        let piece = try file.read(readBytes)
        try take(piece)
        if piece.count < readBytes { return }
      }
    }
  }

  private static func transform(
    _ document: Document, to destination: String, _ codec: any StreamCodec, limit: Int = .max,
    onBytes: @escaping (Int) throws -> Void = { _ in }
  ) throws -> (raw: Measure, stored: Measure) {
    let target = try File(destination, for: .replacing)
    var raw = Meter()
    var stored = Meter()
    func write(_ piece: [UInt8]) throws {
      stored.take(piece)
      guard stored.length <= limit else { throw CompressionError.tooLong(limit: limit) }
      try target.write(piece)
      try onBytes(piece.count)
    }
    try document { piece in
      raw.take(piece)
      try codec.process(piece, isLast: false, write)
    }
    try codec.process([], isLast: true, write)
    try target.sync()
    return (raw.measure(), stored.measure())
  }
}

struct Meter: ~Copyable {
  private var hasher = SHA256Hasher()
  private(set) var length = 0

  mutating func take(_ bytes: [UInt8]) { bytes.withUnsafeBytes { take($0) } }

  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    hasher.update(bytes)
    length += bytes.count
  }

  mutating func measure() -> Compression.Measure { .init(length: length, sha256: hasher.finish()) }
}

package protocol StreamCodec: AnyObject {
  /// Consumes `input` and passes the output to `sink` in pieces.
  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws
}

let codecChunkBytes = 256 * 1024

package enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotStart(Int32)
  case damaged
  case truncated
  case trailingBytes
  case tooLong(limit: Int)
  /// Apple's library cannot compress xz.
  case noEncoder(ContentEncoding)

  package var description: String {
    switch self {
    case .cannotStart(let code): "the compression library could not be started (\(code))"
    case .damaged: "the compressed content is damaged"
    case .truncated: "the compressed content ends too early"
    case .trailingBytes: "bytes follow the end of the compressed content"
    case .tooLong(let limit): "the content is longer than the announced \(limit) bytes"
    case .noEncoder(let encoding):
      "this system cannot compress to \(encoding.rawValue): choose gzip, or publish on Linux"
    }
  }
}
