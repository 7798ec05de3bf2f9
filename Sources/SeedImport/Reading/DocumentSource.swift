import SeedDatabase
import SeedFormat
import SeedSystem

/// A scanner with the tape that it fills; a row's values point into both. If a string is not valid UTF-8, its row is
/// rejected, not the document.
struct DocumentSource: ~Copyable {
  var scanner: JSONScanner
  var tape: JSONTape
  private(set) var records: RecordReader?
  /// Whether messages name lines. They do for CSV and for documents of lines.
  private var hasLines = false
  /// The places of the first byte in memory and of the latest row.
  private var (base, latest) = (Self.start, Self.start)
  private static let start = (offset: 0, line: 1)
  /// Whether the row has waited; values of such a row have no offsets.
  private(set) var isAgain = false
  var isRecord = false

  init() { self.init(at: 0, learnsShapes: true) }

  /// `learnsShapes` is false for a source that rereads a single row.
  private init(at offset: Int, learnsShapes: Bool = false) {
    scanner = JSONScanner(at: offset)
    scanner.keepsBadTexts = true
    tape = JSONTape(learnsShapes: learnsShapes)
  }

  /// The reason why no mapping can read the row on the tape; `nil` if it is valid.
  var flaw: RejectedRow? {
    if let records { return records.flaw }
    return scanner.flaw.map { RejectedRow(.malformed, $0.reason, offset: $0.offset) }
  }

  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.text(index, of: tape) }

  func digits(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.digits(index, of: tape) }

  func json(_ index: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    scanner.write(index, of: tape, to: &bytes)
    return bytes
  }

  func find(_ path: MemberPath) -> Int? {
    var index = 0
    for step in path.steps {
      guard let next = find(step, in: index) else { return nil }
      index = next
    }
    return index
  }

  private func find(_ step: MemberPath.Step, in index: Int) -> Int? {
    var next = index + 1
    switch (step, tape.kind(index)) {
    case (.member(let name), .object):
      for _ in 0..<tape.count(index) {
        if text(next).elementsEqual(name.utf8) { return next + 1 }
        next = tape.end(of: next + 1)
      }
    case (.element(let number), .array) where number < tape.count(index):
      for _ in 0..<number { next = tape.end(of: next) }
      return next
    default: break
    }
    return nil
  }

  /// Rereads a row that is still in memory, onto a new tape.
  func again(_ range: Range<Int>) throws -> DocumentSource {
    var again = DocumentSource(at: range.lowerBound)
    again.scanner.feed(UnsafeRawBufferPointer(scanner.bytes(range)))
    again.scanner.complete()
    (again.base, again.latest, again.hasLines) = (latest, latest, hasLines)
    again.isRecord = isRecord
    if let records, let header = records.header {
      again.records = records
      again.records?.begin(header, &again.tape)
      _ = try again.nextRecord()
    } else {
      _ = try again.scanner.nextValue(&again.tape)
    }
    return again
  }

  /// Reads a row that waited.
  static func again(_ json: [UInt8], isRecord: Bool) throws -> DocumentSource {
    var source = DocumentSource(at: 0)
    (source.isAgain, source.isRecord) = (true, isRecord)
    json.withUnsafeBytes { source.scanner.feed($0) }
    source.scanner.complete()
    _ = try source.scanner.nextValue(&source.tape)
    let flaw = source.scanner.flaw
    _ = try source.scanner.next()
    source.scanner.flaw = flaw
    return source
  }
}

// Documents in pieces.
extension DocumentSource {
  /// Resets for the next document; throws if its header lacks fields that the mapping needs.
  mutating func restart(
    _ csv: CSVFormat?, isLines: Bool = false, _ empties: @escaping (String) -> RecordHeader.Empty,
    flawOfHeader: @escaping ([String]) -> String? = { _ in nil }
  ) throws(ImportFailure) {
    scanner.restart()
    (base, latest) = (Self.start, Self.start)
    records = csv.map { RecordReader($0, empties, flawOfHeader: flawOfHeader) }
    (hasLines, isRecord) = (csv != nil || isLines, csv != nil)
    guard let names = csv?.header else { return }
    if let reason = flawOfHeader(names) { throw ImportFailure(.document, reason) }
    records?.begin(names, &tape)
  }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    if hasLines {
      mark(scanner.offset)
      base = latest
    }
    scanner.feed(bytes)
  }

  mutating func nextRecord() throws -> JSONStep {
    do throws(JSONError) {
      return try records?.next(&scanner, &tape) ?? .end
    } catch {
      let line = place(of: error.offset).line
      throw ImportFailure(.document, "line \(line), byte \(error.offset): \(error.reason)")
    }
  }
}

// Line numbers for messages, counted on demand from the last known line.
extension DocumentSource {
  mutating func mark(_ offset: Int) {
    if offset < latest.offset { latest = base }
    latest = place(of: offset)
  }

  private func place(of offset: Int) -> (offset: Int, line: Int) {
    guard hasLines, offset > latest.offset else { return latest }
    var line = latest.line
    for byte in scanner.bytes(latest.offset..<offset) { line &+= byte == 0x0A ? 1 : 0 }
    return (offset, line)
  }

  /// The line of a marked row; only in CSV and in JSON lines.
  var line: Int? { hasLines ? latest.line : nil }

  /// A value as SQLite would store it, or a number's digits if it is out of range; `nil` for an object or array.
  func plainValue(_ index: Int) -> SeedValue? {
    switch tape.kind(index) {
    case .null: .null
    case .no: .integer(0)
    case .yes: .integer(1)
    case .integer: .integer(tape.integer(index))
    case .real: .real(tape.real(index))
    case .string, .name, .beyond: .text(String(decoding: text(index), as: UTF8.self))
    case .object, .array: nil
    }
  }
}

/// Passes on a document's bytes, and decompresses them if the first two identify gzip.
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

  package func end(_ sink: ([UInt8]) throws -> Void) throws {
    switch content {
    case .plain: return
    case .gzip(let decoder): try decoder.process([], isLast: true, sink)
    case .unknown(let bytes): try sink(bytes)
    }
  }

  private static let pieceBytes = 256 * 1024

  /// Milliseconds between two checks for cancellation while a pipe is empty.
  private static let patience: Int32 = 100

  /// Reads a whole file in pieces; `passed` receives each piece's size in the file, before decompression.
  package static func read(
    _ path: String, isCancelled: () -> Bool, passed: (Int) -> Void = { _ in },
    _ sink: ([UInt8]) throws -> Void
  ) throws {
    let file = try File(path, for: .readingAny)
    let unpacker = DocumentUnpacker()
    while true {
      while try !file.isReadable(within: patience) { if isCancelled() { throw CancellationError() } }
      let piece = try file.readSome(pieceBytes)
      guard !piece.isEmpty else { return try unpacker.end(sink) }
      try unpacker.take(piece, sink)
      passed(piece.count)
    }
  }
}

struct RowPlace {
  var document = ""
  /// From 1; 0 for the whole import.
  var row = 0
  var offset = 0
  var line: Int?
  var list = 0
  var name: String?
}
