import SeedFormat

/// Reads CSV records onto a tape, each as an object with the header's names. Strings remain in the document; only those
/// with doubled quotation marks are copied. Empty lines are skipped.
struct RecordReader {
  private let delimiter: UInt8
  private let empties: (String) -> RecordHeader.Empty
  private let flawOfHeader: ([String]) -> String?
  private(set) var header: RecordHeader?
  private(set) var flaw: RejectedRow?

  /// Maximum size of a record in bytes; an unclosed quotation mark would otherwise consume the whole file.
  static let longestRecord = RowFinder.longestRow
  private static let noText =
    "a field that is not valid UTF-8: convert the document, for example by iconv -f windows-1252 -t utf-8"

  /// `flawOfHeader` returns the error in the fields' names, or `nil` if they are valid.
  init(
    _ format: CSVFormat, _ empties: @escaping (String) -> RecordHeader.Empty,
    flawOfHeader: @escaping ([String]) -> String?
  ) {
    delimiter = CSVFormat.byte(format.delimiter) ?? UInt8(ascii: ",")
    (self.empties, self.flawOfHeader) = (empties, flawOfHeader)
  }

  mutating func begin(_ names: [String], _ tape: inout JSONTape) {
    begin(RecordHeader(names, empties), &tape)
  }

  mutating func begin(_ header: RecordHeader, _ tape: inout JSONTape) {
    self.header = header
    tape.layOut(header.texts)
  }

  /// Reads the next record, like ``SeedFormat/JSONScanner/nextLine(_:)`` reads the next value.
  mutating func next(_ scanner: inout JSONScanner, _ tape: inout JSONTape) throws(JSONError) -> JSONStep {
    guard scanner.canAttempt else { return .starved }
    guard let header else { return try readHeader(&scanner, &tape) }
    guard passEmptyLines(&scanner) else { return scanner.isComplete ? .end : .starved }
    flaw = nil
    return try read(header, &scanner, &tape)
  }

  /// Returns false if no bytes of a record have arrived.
  private func passEmptyLines(_ scanner: inout JSONScanner) -> Bool {
    let (base, start) = scanner.held
    var offset = scanner.offset
    while offset < scanner.bytesFed, RecordScan.isLineEnd(base[offset - start]) { offset += 1 }
    scanner.advance(to: offset)
    return offset < scanner.bytesFed
  }

  // MARK: Fields

  private mutating func read(
    _ header: RecordHeader, _ scanner: inout JSONScanner, _ tape: inout JSONTape
  ) throws(JSONError) -> JSONStep {
    let (base, first) = scanner.held
    let (start, width) = (scanner.offset, header.names.count)
    let scan = scan(scanner)
    tape.beginRecord(at: start)
    let entries = tape.entries
    var (index, slot) = (start - first, 0)
    while true {
      let field = scan.field(index)
      guard field.stop != .starved else { return try starve(field, &scanner) }
      guard field.stop != .text else { throw textBehindQuote(field.end + first) }
      if slot < width {
        Self.put(field, entries + (2 &+ 2 &* slot), first, header.empties[slot])
        if field.isDoubled { Self.copy(field, base, slot, &tape) }
      }
      if let wrong = field.wrong, flaw == nil { flaw = noText(wrong + first, slot, header) }
      slot &+= 1
      index = field.end
      guard field.stop == .delimiter else { break }
      index &+= 1
    }
    // Conditions also read the missing fields of a short record.
    for missing in slot..<max(slot, width) {
      (entries[2 + 2 * missing].kind, entries[2 + 2 * missing].isCopied) = (.null, false)
    }
    if slot != width, flaw == nil { flaw = Self.wrongWidth(slot, under: width) }
    return try end(start, index + first, &scanner)
  }

  private func noText(_ offset: Int, _ slot: Int, _ header: RecordHeader) -> RejectedRow {
    RejectedRow(
      .malformed, Self.noText, column: slot < header.names.count ? header.names[slot] : nil, offset: offset)
  }

  private static func wrongWidth(_ count: Int, under width: Int) -> RejectedRow {
    RejectedRow(
      .notAnObject,
      "the record has \(count) field\(count == 1 ? "" : "s"), but the header has \(width)")
  }

  @inline(__always)
  private static func put(
    _ field: RecordScan.Field, _ entry: UnsafeMutablePointer<JSONTape.Entry>, _ first: Int,
    _ empty: RecordHeader.Empty
  ) {
    let isEmpty = field.range.isEmpty
    entry.pointee.kind = isEmpty ? (field.isQuoted ? empty.quoted : empty.bare) : .string
    entry.pointee.isCopied = false
    entry.pointee.offset = field.start &+ first
    entry.pointee.payload = UInt64(truncatingIfNeeded: field.range.lowerBound &+ first)
    entry.pointee.count = field.range.count
  }

  /// Sets a record's empty fields to `empties`. A field was quoted if its text begins after its offset.
  static func refill(_ entries: UnsafeMutablePointer<JSONTape.Entry>, _ empties: [RecordHeader.Empty]) {
    for (slot, empty) in empties.enumerated() {
      let entry = entries + (2 &+ 2 &* slot)
      guard entry.pointee.count == 0 else { continue }
      let isQuoted = entry.pointee.payload != UInt64(truncatingIfNeeded: entry.pointee.offset)
      entry.pointee.kind = isQuoted ? empty.quoted : empty.bare
    }
  }

  private static func copy(
    _ field: RecordScan.Field, _ base: UnsafePointer<UInt8>, _ slot: Int, _ tape: inout JSONTape
  ) {
    let text = tape.copy(field.range.count) { unquote(base, field.range, into: $0) }
    let entry = tape.entries + (2 + 2 * slot)
    entry.pointee.isCopied = true
    entry.pointee.payload = UInt64(UInt(bitPattern: text.baseAddress))
    entry.pointee.count = text.count
  }

  /// Replaces doubled quotation marks with single ones; returns the number of remaining bytes.
  private static func unquote(
    _ base: UnsafePointer<UInt8>, _ range: Range<Int>, into text: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var (index, written) = (range.lowerBound, 0)
    while index < range.upperBound {
      text[written] = base[index]
      index += base[index] == RecordScan.quote ? 2 : 1
      written += 1
    }
    return written
  }

  private func scan(_ scanner: borrowing JSONScanner) -> RecordScan {
    let (base, first) = scanner.held
    return RecordScan(
      base: base, end: scanner.bytesFed - first, isComplete: scanner.isComplete, delimiter: delimiter)
  }

  // MARK: Ends of records

  private func starve(
    _ field: RecordScan.Field, _ scanner: inout JSONScanner
  ) throws(JSONError) -> JSONStep {
    let start = scanner.offset
    guard !scanner.isComplete else {
      throw JSONError(at: field.start + scanner.held.start, "a quotation mark that is never closed")
    }
    try checkLength(start, scanner.bytesFed)
    scanner.starve(from: start)
    return .starved
  }

  /// Skips the line end. If CR is the last byte so far, an LF that arrives later is skipped as an empty line.
  private func end(_ start: Int, _ end: Int, _ scanner: inout JSONScanner) throws(JSONError) -> JSONStep {
    try checkLength(start, end)
    let (base, first) = scanner.held
    var next = end
    if next < scanner.bytesFed {
      next += 1
      if base[end - first] == 0x0D, next < scanner.bytesFed, base[next - first] == 0x0A { next += 1 }
    }
    scanner.advance(to: next)
    return .value
  }

  private func checkLength(_ start: Int, _ end: Int) throws(JSONError) {
    guard end - start > Self.longestRecord else { return }
    throw JSONError(
      at: start,
      "a record longer than \(Self.longestRecord) bytes: look for a quotation mark that is not closed")
  }

  private func textBehindQuote(_ offset: Int) -> JSONError {
    JSONError(
      at: offset, "text after a closing quotation mark: expected a delimiter or the end of the line")
  }

  // MARK: Header

  private mutating func readHeader(
    _ scanner: inout JSONScanner, _ tape: inout JSONTape
  ) throws(JSONError) -> JSONStep {
    guard passEmptyLines(&scanner) else {
      guard scanner.isComplete else { return .starved }
      throw JSONError(at: scanner.offset, "the CSV has no header")
    }
    let (start, (base, first)) = (scanner.offset, scanner.held)
    let fields = scan(scanner).fields(start - first)
    let last = fields[fields.count - 1]
    guard last.stop != .starved else { return try starve(last, &scanner) }
    if let wrong = fields.lazy.compactMap(\.wrong).first {
      throw JSONError(at: wrong + first, Self.noText)
    }
    guard last.stop != .text else { throw textBehindQuote(last.end + first) }
    let names = fields.map { Self.name($0, base) }
    if let reason = flawOfHeader(names) { throw JSONError(at: start, reason) }
    begin(names, &tape)
    _ = try end(start, last.end + first, &scanner)
    return try next(&scanner, &tape)
  }

  private static func name(_ field: RecordScan.Field, _ base: UnsafePointer<UInt8>) -> String {
    let bytes = Array(UnsafeBufferPointer(start: base + field.range.lowerBound, count: field.range.count))
    let quote = RecordScan.quote
    return String(
      decoding: field.isDoubled ? bytes.replacing([quote, quote], with: [quote]) : bytes, as: UTF8.self)
  }
}
