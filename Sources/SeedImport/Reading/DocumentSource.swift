import SeedDatabase
import SeedFormat
import SeedSystem

/// A scanner with the tape that it fills: what a row's values are lent from. A string that is no text spoils its row,
/// not the document.
struct DocumentSource: ~Copyable {
  var scanner: JSONScanner
  var tape: JSONTape
  /// For documents of CSV.
  private(set) var records: RecordReader?
  private var decoder: TextDecoder?
  /// Where the bytes in memory begin, and where the row is that was looked at last.
  private var (base, latest) = (FilePlace(), FilePlace())
  /// Whether this is one rejected row that comes again, whose values have no places of their own.
  private var isAgain = false
  /// How numbers are spelled, where the row is a record of CSV.
  var numbers: NumberSpelling?

  init() {
    scanner = JSONScanner(at: 0)
    scanner.keepsBadTexts = true
    tape = JSONTape()
  }

  /// One row between those of a document whose tape is in use.
  private init(partAt offset: Int) {
    scanner = JSONScanner(at: offset)
    scanner.keepsBadTexts = true
    tape = JSONTape(learnsShapes: false)
  }

  /// What is wrong with the row on the tape, whatever a mapping makes of it.
  var flaw: RejectedRow? {
    if let records { return records.flaw }
    return scanner.flaw.map { RejectedRow(.malformed, $0.reason, offset: $0.offset) }
  }

  /// Whether null is an empty field.
  var isRecord: Bool { numbers != nil }

  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.text(index, of: tape) }

  func digits(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.digits(index, of: tape) }

  func json(_ index: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    scanner.write(index, of: tape, to: &bytes)
    return bytes
  }

  /// The value of the row's member of that name.
  func member(_ name: String) -> Int? {
    guard tape.kind(0) == .object else { return nil }
    var member = 1
    while member < tape.end(of: 0) {
      if text(member).elementsEqual(name.utf8) { return member + 1 }
      member = tape.end(of: member + 1)
    }
    return nil
  }

  /// The names of the row's members.
  var names: [String] {
    guard tape.kind(0) == .object else { return [] }
    var (names, member) = ([String](), 1)
    while member < tape.end(of: 0) {
      names.append(String(decoding: text(member), as: UTF8.self))
      member = tape.end(of: member + 1)
    }
    return names
  }

  /// The row in a part of the document that is still in memory, on the tape again.
  func again(_ range: Range<Int>) throws -> DocumentSource {
    var again = DocumentSource(partAt: range.lowerBound)
    again.scanner.feed(UnsafeRawBufferPointer(scanner.bytes(range)))
    again.scanner.complete()
    (again.base, again.latest, again.decoder) = (latest, latest, decoder)
    again.numbers = numbers
    if let records, let header = records.header {
      again.records = records
      again.records?.begin(header, &again.tape)
      _ = try again.nextRecord()
    } else {
      _ = try again.scanner.nextValue(&again.tape)
    }
    return again
  }
}

// Rejected rows, each on a tape of its own.
extension DocumentSource {
  /// A row of JSON.
  static func again(_ json: [UInt8]) throws -> DocumentSource {
    var source = DocumentSource(partAt: 0)
    source.isAgain = true
    json.withUnsafeBytes { source.scanner.feed($0) }
    source.scanner.complete()
    _ = try source.scanner.nextValue(&source.tape)
    let flaw = source.scanner.flaw
    _ = try source.scanner.next()
    source.scanner.flaw = flaw
    return source
  }

  /// A record of CSV, in UTF-8 by now.
  static func again(
    record: [UInt8], _ header: [String], _ csv: CSVFormat,
    _ empties: @escaping (String) -> RecordHeader.Empty
  ) throws -> DocumentSource {
    var source = DocumentSource()
    (source.isAgain, source.numbers) = (true, NumberSpelling(csv))
    source.records = RecordReader(csv, empties)
    source.records?.begin(header, &source.tape)
    record.withUnsafeBytes { source.scanner.feed($0) }
    source.scanner.complete()
    guard case .value = try source.nextRecord() else {
      throw ImportFailure(.document, "a record without fields")
    }
    guard source.scanner.offset == source.scanner.bytesFed else {
      throw ImportFailure(.document, "more than one record")
    }
    return source
  }

  /// A refusal in terms of the file: where its bytes are.
  func placed(_ refusal: RejectedRow) -> RejectedRow {
    guard let offset = refusal.offset else { return refusal }
    var refusal = refusal
    refusal.offset = isAgain ? nil : offsetInFile(offset)
    return refusal
  }
}

// Documents in pieces.
extension DocumentSource {
  /// Forgets the document and waits for the next one; throws where no row can have the fields that the mapping names.
  mutating func restart(
    _ csv: CSVFormat?, _ empties: @escaping (String) -> RecordHeader.Empty,
    flawOfHeader: @escaping ([String]) -> String? = { _ in nil }
  ) throws(ImportFailure) {
    scanner.restart()
    (base, latest) = (FilePlace(), FilePlace())
    records = csv.map { RecordReader($0, empties, flawOfHeader: flawOfHeader) }
    decoder = csv.map { TextDecoder($0.encoding) }
    numbers = csv.map(NumberSpelling.init)
    records?.recordsToSkip = csv?.skip ?? 0
    guard let names = csv?.header else { return }
    if let reason = flawOfHeader(names) { throw ImportFailure(.document, reason) }
    records?.begin(names, &tape)
  }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    guard records != nil else { return scanner.feed(bytes) }
    mark(scanner.offset)
    base = latest
    guard let text = decoder?.take(bytes) else { return scanner.feed(bytes) }
    text.withUnsafeBytes { scanner.feed($0) }
  }

  mutating func complete() { scanner.complete() }

  /// Bytes of the document that have come.
  var bytesFed: Int { decoder?.bytesTaken ?? scanner.bytesFed }

  /// Bytes of the document up to the row at hand, roughly where they are not UTF-8.
  var bytesRead: Int { min(scanner.offset, bytesFed) }

  mutating func nextRecord() throws -> JSONStep {
    do throws(RecordReader.Fault) {
      return try records?.next(&scanner, &tape) ?? .end
    } catch {
      let place = place(of: error.offset)
      throw ImportFailure(
        .document, "line \(place.line), byte \(offsetInFile(error.offset)): \(error.reason)")
    }
  }

  /// The texts of a record's fields as an array of JSON.
  func array(_ range: Range<Int>) -> [UInt8] {
    let texts = records?.texts(range, scanner) ?? []
    return JSONValue.array(texts.map { JSONValue($0.map { String(decoding: $0, as: UTF8.self) }) }).bytes
  }
}

// Places in the file, for messages: counted from the last known one when somebody asks.
extension DocumentSource {
  /// Remembers where a row is; rows mostly come in order.
  mutating func mark(_ offset: Int) {
    if offset < latest.offset { latest = base }
    latest = place(of: offset)
  }

  /// The line and the byte in the file; of a row that was marked, or of something in it.
  func place(of offset: Int) -> FilePlace {
    guard let decoder, offset >= latest.offset else {
      return FilePlace(offset: offset, inFile: offset, line: 0)
    }
    var place = latest
    place.pass(scanner.bytes(latest.offset..<offset), decoder)
    return place
  }

  /// The byte in the file.
  func offsetInFile(_ offset: Int) -> Int { place(of: offset).inFile }

  /// The line of a row that was marked; only CSV has them, for its rows are not told apart by lines.
  var line: Int? { decoder == nil ? nil : latest.line }
}

extension DocumentSource {
  /// A value as SQLite would hold it, a number beyond its numbers as its digits; `nil` for an object or an array.
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

/// Where a byte of the text stands in the file that it was decoded from.
struct FilePlace {
  var offset = 0
  var inFile = 0
  var line = 1
  private var last: UInt8 = 0

  init(offset: Int = 0, inFile: Int = 0, line: Int = 1) {
    (self.offset, self.inFile, self.line) = (offset, inFile, line)
  }

  mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>, _ decoder: TextDecoder) {
    var (ends, returns) = (0, 0)
    for byte in bytes {
      ends &+= byte == 0x0A ? 1 : 0
      returns &+= byte == 0x0D ? 1 : 0
    }
    line += ends + returns - (returns == 0 && last != 0x0D ? 0 : Self.pairs(bytes, behind: last))
    inFile += decoder.isPlain ? bytes.count : bytes.reduce(0) { $0 + decoder.width($1) }
    offset += bytes.count
    last = bytes.last ?? last
  }

  /// Line feeds that belong to the return before them.
  private static func pairs(_ bytes: UnsafeBufferPointer<UInt8>, behind last: UInt8) -> Int {
    var (pairs, before) = (0, last)
    for byte in bytes {
      pairs &+= byte == 0x0A && before == 0x0D ? 1 : 0
      before = byte
    }
    return pairs
  }
}

struct RowPlace {
  var document = ""
  var row = 0
  var offset = 0
  /// In CSV.
  var line: Int?
  /// The number of the row's list in the mapping.
  var list = 0
  /// In a dictionary of rows.
  var name: String?
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
    let file = try File(path, for: .readingAny)
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
