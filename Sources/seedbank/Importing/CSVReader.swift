import SeedImport

/// RFC 4180, by hand: fields between commas, perhaps quoted; records between line ends of either kind.
///
/// Bytes come in pieces; records go out whole. An empty line is no record. A byte order mark before the first
/// record is passed over, for spreadsheets write one.
struct CSVReader {
  private enum State { case start, bare, quoted, quoteInQuoted }

  private var state = State.start
  private var field: [UInt8] = []
  private var record: [[UInt8]] = []
  private var isFirst = true
  private var skipsLineFeed = false

  /// Bytes of one record; a quotation mark that is never closed would otherwise swallow the file.
  private static let longestRecord = 16 * 1024 * 1024
  private var recordBytes = 0
  /// Bytes of the file before the one at hand, and before the record at hand.
  private var offset = 0
  private var recordStart = 0

  /// Is given a record's fields and where it begins in the file.
  typealias Sink = ([[UInt8]], Int) throws -> Void

  /// Takes bytes and hands on the records that they complete.
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

  /// Ends the file; its last record need not end with a line.
  mutating func end(_ sink: Sink) throws {
    guard state != .quoted else {
      throw CommandFailure(.badData, "The CSV ends within a quoted field.")
    }
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
      throw CommandFailure(.badData, "The CSV has text behind a closing quotation mark.")
    default:
      field.append(byte)
      state = .bare
      passMark()
    }
  }

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
