import SeedDatabase
import SeedFormat
import SeedImport

/// Turns CSV into lines of JSON, because there is only one importer. The first record names the members.
/// Fields are texts, which the importer converts to their columns' types: leading zeros of text columns stay.
struct CSVDocument {
  let records = CSVRecords()
  private var reader = CSVReader()
  private var header: [(name: [UInt8], keepsEmpty: Bool)] = []
  private let keepsEmpty: (String) -> Bool

  /// `keepsEmpty` is true for members whose columns take the empty text rather than NULL.
  init(keepsEmpty: @escaping (String) -> Bool) { self.keepsEmpty = keepsEmpty }

  mutating func take(_ bytes: [UInt8], _ sink: ([UInt8]) throws -> Void) throws {
    try sink(lines { try $0.take(bytes, $1) })
  }

  mutating func end(_ sink: ([UInt8]) throws -> Void) throws {
    let lines = try lines { try $0.end($1) }
    guard !header.isEmpty else { throw CommandFailure(.badData, "The CSV has no header.") }
    try sink(lines)
  }

  private mutating func lines(_ read: (inout CSVReader, CSVReader.Sink) throws -> Void) throws -> [UInt8] {
    var lines: [UInt8] = []
    var reader = reader
    records.beginPiece()
    try read(&reader) { add($0, at: $1, to: &lines) }
    self.reader = reader
    return lines
  }

  private mutating func add(_ record: [[UInt8]], at start: Int, to lines: inout [UInt8]) {
    guard !header.isEmpty else {
      records.width = record.count
      header = record.map { (quoted($0), keepsEmpty(String(decoding: $0, as: UTF8.self))) }
      return
    }
    records.append(start)
    if record.count == header.count {
      append(record, to: &lines)
    } else {
      // The importer refuses an array. It has all fields, for the reader of the rejected rows.
      lines += "[\(record.map { String(decoding: quoted($0), as: UTF8.self) }.joined(separator: ","))]".utf8
    }
    lines.append(UInt8(ascii: "\n"))
  }

  private func append(_ record: [[UInt8]], to lines: inout [UInt8]) {
    lines.append(UInt8(ascii: "{"))
    for (index, field) in header.enumerated() {
      if index > 0 { lines.append(UInt8(ascii: ",")) }
      lines += field.name
      lines.append(UInt8(ascii: ":"))
      let isNull = record[index].isEmpty && !field.keepsEmpty
      lines += isNull ? Array("null".utf8) : quoted(record[index])
    }
    lines.append(UInt8(ascii: "}"))
  }

  /// Byte by byte, so that invalid UTF-8 stays invalid, and is refused in its row.
  private func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: text += "\\u00\(lowerHex([byte]))".utf8
      default: text.append(byte)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }
}

/// The places of a CSV's records, for the importer, which sees only the lines of JSON made of them.
final class CSVRecords {
  var width = 0
  private var first = 0
  private var starts: [Int] = []

  func beginPiece() {
    first += starts.count
    starts.removeAll(keepingCapacity: true)
  }

  func append(_ start: Int) { starts.append(start) }

  var origin: ConvertedRows {
    ConvertedRows { [self] row in
      starts.indices.contains(row - first) ? starts[row - first] : starts.last ?? 0
    } flaw: { [self] count in
      "a record of \(count) fields under \(width) names"
    }
  }
}

/// Reads RFC 4180 in pieces, and hands on whole records; an empty line is none.
private struct CSVReader {
  private enum State { case start, bare, quoted, quoteInQuoted }

  private var state = State.start
  private var field: [UInt8] = []
  private var record: [[UInt8]] = []
  private var isFirst = true
  private var skipsLineFeed = false

  /// Bytes of one record; a quotation mark that is never closed would otherwise swallow the file.
  private static let longestRecord = 16 * 1024 * 1024
  private var recordBytes = 0
  /// Bytes of the file before the current byte, and before the current record.
  private var offset = 0
  private var recordStart = 0

  typealias Sink = ([[UInt8]], Int) throws -> Void

  mutating func take(_ bytes: [UInt8], _ sink: Sink) throws {
    for byte in bytes {
      recordBytes += 1
      guard recordBytes <= Self.longestRecord else {
        throw CommandFailure(.badData, "A CSV record is longer than \(Self.longestRecord) bytes.")
      }
      try take(byte, sink)
      offset += 1
    }
  }

  /// Ends the file; its last record may lack a line end.
  mutating func end(_ sink: Sink) throws {
    guard state != .quoted else { throw CommandFailure(.badData, "The CSV ends inside a quoted field.") }
    if state != .start || !record.isEmpty || !field.isEmpty { try endRecord(sink) }
  }

  private mutating func take(_ byte: UInt8, _ sink: Sink) throws {
    let isLineFeedOfPair = skipsLineFeed && byte == 0x0A
    skipsLineFeed = false
    if isLineFeedOfPair { return }
    if state == .start, record.isEmpty { recordStart = offset }
    switch (state, byte) {
    case (.start, UInt8(ascii: "\"")): state = .quoted
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): field.append(byte)
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")): endField()
    case (_, 0x0A), (_, 0x0D):
      skipsLineFeed = byte == 0x0D
      try endRecord(sink)
    case (.quoteInQuoted, _):
      throw CommandFailure(.badData, "The CSV has text after a closing quotation mark.")
    default:
      field.append(byte)
      state = .bare
      passMark()
    }
  }

  /// Spreadsheets write a byte order mark.
  private mutating func passMark() {
    guard isFirst, record.isEmpty, field == [0xEF, 0xBB, 0xBF] else { return }
    field = []
    state = .start
  }

  private mutating func endField() {
    record.append(field)
    field = []
    // A comma begins another field, which may be empty.
    state = .start
  }

  private mutating func endRecord(_ sink: Sink) throws {
    let isEmptyLine = state == .start && record.isEmpty
    endField()
    defer {
      record = []
      recordBytes = 0
      isFirst = false
    }
    if !isEmptyLine { try sink(record, recordStart) }
  }
}
