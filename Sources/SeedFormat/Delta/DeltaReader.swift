/// Reads a delta, one change at a time, and refuses what ``DeltaWriter`` would not have written.
package struct DeltaReader {
  /// What the delta says of itself.
  package let header: DeltaHeader
  private var scanner: JSONScanner
  private var place = Place.betweenTables

  private enum Place { case betweenTables, deletes, upserts, finished }

  /// Reads the header.
  package init(_ document: [UInt8]) throws(DeltaError) {
    do {
      scanner = JSONScanner(document)
      header = try Self.header(&scanner)
    } catch {
      throw DeltaError(error)
    }
  }

  /// The next change; ``DeltaEvent/end`` once the document is complete.
  package mutating func next() throws(DeltaError) -> DeltaEvent {
    do {
      return try event()
    } catch {
      throw DeltaError(error)
    }
  }

  private mutating func event() throws -> DeltaEvent {
    let token = try scanner.next()
    switch (place, token) {
    case (.finished, _): return .end
    case (.betweenTables, .beginObject): return try openTable()
    case (.betweenTables, .endArray): return try close()
    case (.deletes, .beginObject): return .delete(try row())
    case (.upserts, .beginObject): return .upsert(try row())
    case (.deletes, .endArray):
      try expectName("upsert", &scanner)
      try expect(.beginArray, &scanner)
      place = .upserts
      return try event()
    case (.upserts, .endArray):
      try expect(.endObject, &scanner)
      place = .betweenTables
      return try event()
    default: throw malformed("unexpected content", scanner)
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

  private mutating func close() throws -> DeltaEvent {
    try expect(.endObject, &scanner)
    try expect(.end, &scanner)
    place = .finished
    return .end
  }

  private mutating func row() throws -> DeltaRow {
    var row = DeltaRow()
    while case .name(let name) = try scanner.next() {
      row.names.append(name)
      row.values.append(try value())
    }
    return row
  }

  private mutating func value() throws -> SeedValue {
    switch try scanner.next() {
    case .null: return .null
    case .integer(let value) where DeltaScalar.isExact(value): return .integer(value)
    case .real(let value): return .real(value)
    case .string(let value): return .text(value)
    case .beginObject: return try taggedValue()
    default: throw malformed("not a value of a row", scanner)
    }
  }

  private mutating func taggedValue() throws -> SeedValue {
    guard case .name(let tag) = try scanner.next(), case .string(let text) = try scanner.next(),
      let value = DeltaScalar.value(tag: tag, text: text)
    else { throw malformed("not a tagged value", scanner) }
    try expect(.endObject, &scanner)
    return value
  }

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
  case delete(DeltaRow)
  case upsert(DeltaRow)
  case end
}

/// A row of a delta: names and values in the document's order.
package struct DeltaRow: Hashable, Sendable {
  package var names: [String] = []
  package var values: [SeedValue] = []

  package init() {}
}

/// Why a document is not a delta.
package struct DeltaError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ error: any Error) { reason = "\(error)" }

  package var description: String { "not a delta: \(reason)" }
}

private func malformed(_ reason: String, _ scanner: JSONScanner) -> JSONError {
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
