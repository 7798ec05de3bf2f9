import SeedDatabase
import SeedFormat
import SeedSystem

/// A scanner with the tape that it fills: what a row's values are lent from.
struct DocumentSource: ~Copyable {
  var scanner: JSONScanner
  var tape: JSONTape

  init() {
    scanner = JSONScanner(at: 0)
    tape = JSONTape()
  }

  /// A part of a document whose tape is in use.
  private init(partAt offset: Int) {
    scanner = JSONScanner(at: offset)
    tape = JSONTape(learnsShapes: false)
  }

  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.text(index, of: tape) }

  func digits(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.digits(index, of: tape) }

  func json(_ index: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    scanner.write(index, of: tape, to: &bytes)
    return bytes
  }

  /// The value in a part of the document that is still in memory, on the tape again.
  func again(_ range: Range<Int>) throws -> DocumentSource {
    var again = DocumentSource(partAt: range.lowerBound)
    again.scanner.feed(UnsafeRawBufferPointer(scanner.bytes(range)))
    again.scanner.complete()
    _ = try again.scanner.nextValue(&again.tape)
    return again
  }
}

struct RowPlace {
  var document = ""
  var row = 0
  var offset = 0
}

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

  /// Milliseconds between two looks at the cancellation, while a pipe has nothing.
  private static let patience: Int32 = 100

  /// Hands on a whole file, piece by piece; `passed` is told of the bytes of each as the file has them.
  package static func read(
    _ path: String, pieces: Int, isCancelled: () -> Bool = { false }, passed: (Int) -> Void = { _ in },
    _ sink: ([UInt8]) throws -> Void
  ) throws {
    let file = try File(path, for: .reading)
    let unpacker = DocumentUnpacker()
    while true {
      while try !file.isReadable(within: patience) { if isCancelled() { throw CancellationError() } }
      let piece = try file.readSome(max(1, pieces))
      guard !piece.isEmpty else { return try unpacker.end(sink) }
      try unpacker.take(piece, sink)
      passed(piece.count)
    }
  }
}
