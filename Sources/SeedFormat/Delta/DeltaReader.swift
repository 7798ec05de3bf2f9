/// Reads a delta, one change at a time, and refuses what ``DeltaWriter`` would not have written.
package struct DeltaReader: ~Copyable {
  /// What the delta says of itself.
  package let header: DeltaHeader
  private var scanner: JSONScanner
  private var row = JSONTape()
  private var blobs = ByteBlock()
  private var place = Place.betweenTables

  private enum Place { case betweenTables, deletes, upserts, finished }

  /// Reads the header.
  package init(_ document: [UInt8]) throws(DeltaError) {
    var scanner = JSONScanner(document)
    do {
      header = try Self.header(&scanner)
    } catch {
      throw DeltaError(error)
    }
    self.scanner = scanner
  }

  /// The next change; ``DeltaEvent/end`` once the document is complete. ``read(_:into:)`` reads its row.
  package mutating func next() throws(DeltaError) -> DeltaEvent {
    do {
      switch place {
      case .finished: return .end
      case .betweenTables: return try betweenTables()
      case .deletes: return try rowOrEnd(.delete)
      case .upserts: return try rowOrEnd(.upsert)
      }
    } catch {
      throw DeltaError(error)
    }
  }

  private mutating func betweenTables() throws -> DeltaEvent {
    switch try scanner.next() {
    case .beginObject: return try openTable()
    case .endArray:
      try expect(.endObject, &scanner)
      try expect(.end, &scanner)
      place = .finished
      return .end
    default: throw malformed("expected a table", scanner)
    }
  }

  private mutating func openTable() throws -> DeltaEvent {
    let name = try stringMember("table", &scanner)
    try expectName("key", &scanner)
    try expect(.beginArray, &scanner)
    var key: [String] = []
    while case .string(let column) = try scanner.next() { key.append(column) }
    try expectName("delete", &scanner)
    try expect(.beginArray, &scanner)
    place = .deletes
    return .table(name, key: key)
  }

  private mutating func rowOrEnd(_ event: DeltaEvent) throws -> DeltaEvent {
    guard try scanner.nextValue(&row) == .value else {
      if place == .deletes { try openUpserts() } else { try closeTable() }
      return try next()
    }
    guard row.kind(0) == .object else { throw JSONError(at: row.offset(0), "expected a row") }
    return event
  }

  private mutating func openUpserts() throws {
    try expectName("upsert", &scanner)
    try expect(.beginArray, &scanner)
    place = .upserts
  }

  private mutating func closeTable() throws {
    try expect(.endObject, &scanner)
    place = .betweenTables
  }

  // MARK: Rows

  /// The names of the row's members.
  package var rowNames: [String] {
    var names: [String] = []
    var member = 1
    for _ in 0..<row.count(0) {
      names.append(scanner.string(member, of: row))
      member = row.end(of: member + 1)
    }
    return names
  }

  /// Lends the row's values, which are good until the next call; false where its members have other names.
  package mutating func read(
    _ names: [[UInt8]], into values: inout [BorrowedValue]
  ) throws(DeltaError) -> Bool {
    values.removeAll(keepingCapacity: true)
    guard row.count(0) == names.count else { return false }
    blobs.clear()
    blobs.reserve(blobCapacity)
    var member = 1
    for name in names {
      guard scanner.text(member, of: row).elementsEqual(name) else { return false }
      do {
        values.append(try value(member + 1))
      } catch {
        throw DeltaError(error)
      }
      member = row.end(of: member + 1)
    }
    return true
  }

  /// Every blob of the row fits in this many bytes: a text is longer than what it decodes to.
  private var blobCapacity: Int { scanner.offset - row.offset(0) }

  private mutating func value(_ index: Int) throws(JSONError) -> BorrowedValue {
    switch row.kind(index) {
    case .null: return .null
    case .integer where DeltaScalar.isExact(row.integer(index)): return .integer(row.integer(index))
    case .real: return .real(row.real(index))
    case .string: return .text(scanner.text(index, of: row))
    case .object where row.count(index) == 1:
      if let value = taggedValue(index + 1) { return value }
    default: break
    }
    throw JSONError(at: row.offset(index), "not a value of a row")
  }

  private mutating func taggedValue(_ tag: Int) -> BorrowedValue? {
    guard row.kind(tag + 1) == .string else { return nil }
    let text = scanner.text(tag + 1, of: row)
    let name = scanner.text(tag, of: row)
    if name.elementsEqual(DeltaScalar.integerTag.utf8) {
      return DeltaScalar.taggedInteger(text).map { .integer($0) }
    }
    if name.elementsEqual(DeltaScalar.realTag.utf8) { return DeltaScalar.taggedReal(text).map { .real($0) } }
    guard name.elementsEqual(DeltaScalar.blobTag.utf8) else { return nil }
    let blob = blobs.append(Base64.decodedCapacity(text.count)) { Base64.decode(text, into: $0) }
    return blob.map { .blob(blobs[$0]) }
  }

  // MARK: Header

  private static func header(_ scanner: inout JSONScanner) throws -> DeltaHeader {
    try expect(.beginObject, &scanner)
    let dataset = try DatasetName(stringMember("dataset", &scanner))
    let major = try numberMember("series", &scanner)
    let header = DeltaHeader(
      series: try Series(dataset, major: major),
      model: try ModelVersion(stringMember("model", &scanner)),
      schema: try SHA256Digest(hex: stringMember("schema", &scanner)),
      from: try Version(numberMember("from", &scanner)),
      to: try Version(numberMember("to", &scanner)),
      digest: try SHA256Digest(hex: stringMember("digest", &scanner)))
    try expectName("changes", &scanner)
    try expect(.beginArray, &scanner)
    return header
  }
}

/// One step through a delta.
package enum DeltaEvent: Hashable, Sendable {
  case table(String, key: [String])
  case delete
  case upsert
  case end
}

/// Why a document is not a delta.
package struct DeltaError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ error: any Error) { reason = (error as? DeltaError)?.reason ?? "\(error)" }

  package var description: String { "not a delta: \(reason)" }
}

private func malformed(_ reason: String, _ scanner: borrowing JSONScanner) -> JSONError {
  JSONError(at: scanner.offset, reason)
}

private func expect(_ token: JSONToken, _ scanner: inout JSONScanner) throws {
  guard try scanner.next() == token else { throw malformed("expected \(token)", scanner) }
}

private func expectName(_ name: String, _ scanner: inout JSONScanner) throws {
  guard try scanner.next() == .name(name) else { throw malformed("expected the member \"\(name)\"", scanner) }
}

private func stringMember(_ name: String, _ scanner: inout JSONScanner) throws -> String {
  try expectName(name, &scanner)
  guard case .string(let text) = try scanner.next() else {
    throw malformed("expected a string as \"\(name)\"", scanner)
  }
  return text
}

private func numberMember(_ name: String, _ scanner: inout JSONScanner) throws -> Int {
  try expectName(name, &scanner)
  guard case .integer(let value) = try scanner.next(), let number = Int(exactly: value) else {
    throw malformed("expected a whole number as \"\(name)\"", scanner)
  }
  return number
}
