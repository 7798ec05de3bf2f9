/// Reads a delta by change, and rejects anything that ``DeltaWriter`` does not write. Holds about one row in memory.
package struct DeltaReader: ~Copyable {
  package let header: DeltaHeader
  private var tokens: DeltaTokens
  private var row = JSONTape()
  private let blobs = LentBytes()
  private var place = Place.betweenTables

  private enum Place { case betweenTables, deletes, upserts, finished }

  package init(_ document: [UInt8]) throws { try self.init(DocumentPieces.of(document)) }

  /// Reads the header of a document in pieces. Errors of the source are rethrown unchanged.
  package init(_ pieces: @escaping DocumentPieces.Source) throws {
    var tokens = DeltaTokens(pieces)
    do {
      header = try Self.header(&tokens)
    } catch {
      throw DeltaError.about(error)
    }
    self.tokens = tokens
  }

  /// The next change; ``DeltaEvent/end`` at the end of the document. ``read(_:into:)`` reads the change's row.
  package mutating func next() throws -> DeltaEvent {
    do {
      switch place {
      case .finished: return .end
      case .betweenTables: return try betweenTables()
      case .deletes: return try rowOrEnd(.delete)
      case .upserts: return try rowOrEnd(.upsert)
      }
    } catch { throw DeltaError.about(error) }
  }

  private mutating func betweenTables() throws -> DeltaEvent {
    switch try tokens.next() {
    case .beginObject: return try openTable()
    case .endArray:
      try tokens.expect(.endObject)
      try tokens.expect(.end)
      place = .finished
      return .end
    default: throw tokens.malformed("expected a table")
    }
  }

  private mutating func openTable() throws -> DeltaEvent {
    let name = try tokens.string("table")
    try tokens.expectArray("key")
    var key: [String] = []
    while case .string(let column) = try tokens.next() { key.append(column) }
    try tokens.expectArray("delete")
    place = .deletes
    return .table(name, key: key)
  }

  private mutating func rowOrEnd(_ event: DeltaEvent) throws -> DeltaEvent {
    guard try tokens.nextValue(&row) == .value else {
      if place == .deletes {
        try tokens.expectArray("upsert")
        place = .upserts
      } else {
        try tokens.expect(.endObject)
        place = .betweenTables
      }
      return try next()
    }
    guard row.kind(0) == .object else { throw JSONError(at: row.offset(0), "expected a row") }
    return event
  }

  // MARK: Rows

  package var rowNames: [String] {
    var names: [String] = []
    var member = 1
    for _ in 0..<row.count(0) {
      names.append(tokens.scanner.string(member, of: row))
      member = row.end(of: member + 1)
    }
    return names
  }

  /// Lends the row's values until the next call; false if its members have other names.
  package mutating func read(
    _ names: MemberNames, into values: inout [BorrowedValue]
  ) throws(DeltaError) -> Bool {
    values.removeAll(keepingCapacity: true)
    guard row.count(0) == names.count else { return false }
    blobs.clear()
    var member = 1
    for index in 0..<names.count {
      guard names.hold(tokens.scanner.text(member, of: row), at: index) else { return false }
      do {
        values.append(try value(member + 1))
      } catch {
        throw DeltaError(error)
      }
      member = row.end(of: member + 1)
    }
    return true
  }

  private mutating func value(_ index: Int) throws(JSONError) -> BorrowedValue {
    switch row.kind(index) {
    case .null: return .null
    case .integer where DeltaScalar.isExact(row.integer(index)): return .integer(row.integer(index))
    case .real: return .real(row.real(index))
    case .string: return .text(tokens.scanner.text(index, of: row))
    case .object where row.count(index) == 1:
      if let value = taggedValue(index + 1) { return value }
    default: break
    }
    throw JSONError(at: row.offset(index), "not a value of a row")
  }

  private mutating func taggedValue(_ tag: Int) -> BorrowedValue? {
    guard row.kind(tag + 1) == .string else { return nil }
    let text = tokens.scanner.text(tag + 1, of: row)
    let name = tokens.scanner.text(tag, of: row)
    if name.elementsEqual(DeltaScalar.integerTag.utf8) {
      return DeltaScalar.taggedInteger(text).map { .integer($0) }
    }
    if name.elementsEqual(DeltaScalar.realTag.utf8) { return DeltaScalar.taggedReal(text).map { .real($0) } }
    guard name.elementsEqual(DeltaScalar.blobTag.utf8) else { return nil }
    return blobs.fill(Base64.size(ofDecoded: text)) { Base64.decode(text, to: $0) }.map { .blob($0) }
  }

  // MARK: Header

  private static func header(_ tokens: inout DeltaTokens) throws -> DeltaHeader {
    try tokens.expect(.beginObject)
    let dataset = try DatasetName(tokens.string("dataset"))
    let major = try tokens.number("series")
    let header = DeltaHeader(
      series: try SeedSeries(dataset, major: major),
      model: try ModelVersion(tokens.string("model")),
      schema: try SHA256Digest(hex: tokens.string("schema")),
      from: try SeedVersion(tokens.number("from")),
      to: try SeedVersion(tokens.number("to")),
      digest: try SHA256Digest(hex: tokens.string("digest")))
    try tokens.expectArray("changes")
    return header
  }
}

package enum DeltaEvent: Hashable, Sendable {
  case table(String, key: [String])
  case delete
  case upsert
  case end
}

package struct DeltaError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ error: any Error) { reason = (error as? DeltaError)?.reason ?? "\(error)" }

  /// Errors of the document's source stay unchanged.
  static func about(_ error: any Error) -> any Error {
    (error as? DocumentSourceError)?.underlying ?? DeltaError(error)
  }

  package var description: String { "not a delta: \(reason)" }
}

/// The expected names of a row's members, laid out for comparison with a document's bytes.
package final class MemberNames {
  /// All names in one buffer, because an array of arrays would be reference counted for each member.
  private let bytes: UnsafeMutablePointer<UInt8>
  private let names: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>
  let count: Int

  package init(_ names: [String]) {
    count = names.count
    bytes = .allocate(capacity: names.reduce(1) { $0 + $1.utf8.count })
    self.names = .allocate(capacity: count)
    var end = 0
    for (index, name) in names.enumerated() {
      let start = end
      for byte in name.utf8 {
        (bytes + end).initialize(to: byte)
        end += 1
      }
      (self.names + index).initialize(to: UnsafeBufferPointer(start: bytes + start, count: end - start))
    }
  }

  deinit {
    names.deallocate()
    bytes.deallocate()
  }

  @inline(__always)
  func hold(_ found: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    precondition(index >= 0 && index < count, "an unknown name")
    return BorrowedValue.sameBytes(names[index], found)
  }
}
