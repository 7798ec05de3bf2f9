/// Writes a delta's changes by table and adds the header at the end. The header contains the final state digest, so
/// the changes are collected first, in memory and then in a spill. Within a table, deletes precede upserts.
package struct DeltaWriter {
  private var parts: [SpilledBytes.Part] = []
  private var table: OpenTable?
  private let spill: (any DeltaSpill)?
  /// The spill's first error; the delta cannot be finished then.
  private var failure: (any Error)?

  /// Bytes of one table's deletes or upserts that are buffered in memory.
  private static let openBytes = 256 * 1024
  /// Bytes of each that stay in memory after the table.
  private static let closedBytes = 8 * 1024

  fileprivate struct OpenTable {
    let name: String
    let key: [String]
    let columns: [String]
    var deletes = SpilledBytes()
    var upserts = SpilledBytes()
  }

  /// Without a spill, keeps all changes in memory.
  package init(spill: (any DeltaSpill)? = nil) { self.spill = spill }

  package var isEmpty: Bool { parts.isEmpty && (table?.isEmpty ?? true) }

  /// Starts a table; a table without changes is omitted.
  package mutating func begin(table name: String, key: [String], columns: [String]) {
    endTable()
    table = OpenTable(name: name, key: key, columns: columns)
  }

  /// Discards changes since the last ``begin(table:key:columns:)``.
  package mutating func abandonTable() { table = nil }

  package mutating func delete(_ key: [SeedValue]) { LentBytes.lending(key) { delete(lent: $0) } }

  package mutating func delete(lent key: [BorrowedValue]) {
    guard var open = table.take() else { preconditionFailure("a delete outside a table") }
    add(open.key, key, to: &open.deletes)
    table = open
  }

  package mutating func upsert(_ row: [SeedValue]) { LentBytes.lending(row) { upsert(lent: $0) } }

  package mutating func upsert(lent row: [BorrowedValue]) {
    guard var open = table.take() else { preconditionFailure("an upsert outside a table") }
    add(open.columns, row, to: &open.upserts)
    table = open
  }

  /// Passes on the whole document, on one line and in pieces. Throws the spill's error.
  package consuming func write(_ header: DeltaHeader, to take: ([UInt8]) throws -> Void) throws {
    endTable()
    if let failure { throw failure }
    try take(header.opening)
    for part in parts {
      switch part {
      case .bytes(let bytes): try take(bytes)
      case .kept(let range): try spill?.read(range, take)
      }
    }
    try take(Array("]}\n".utf8))
  }

  /// The whole document of a writer without a spill.
  package consuming func document(_ header: DeltaHeader) -> [UInt8] {
    precondition(spill == nil, "the changes of a document in memory must be in memory too")
    var document: [UInt8] = []
    do {
      try write(header) { document += $0 }
    } catch {
      preconditionFailure("writing to memory cannot fail: \(error)")
    }
    return document
  }

  private mutating func endTable() {
    guard var open = table.take(), !open.isEmpty else { return }
    do {
      try open.deletes.relieve(limit: Self.closedBytes, spill)
      try open.upserts.relieve(limit: Self.closedBytes, spill)
    } catch { failure = failure ?? error }
    parts.append(.bytes(open.opening(isFirst: parts.isEmpty)))
    parts += open.deletes.parts
    parts.append(.bytes(Array(#"],"upsert":["#.utf8)))
    parts += open.upserts.parts
    parts.append(.bytes(Array("]}".utf8)))
  }

  private mutating func add(_ names: [String], _ values: [BorrowedValue], to bytes: inout SpilledBytes) {
    // A failed delta collects nothing more.
    guard failure == nil else { return }
    precondition(names.count == values.count, "a row with \(values.count) of \(names.count) values")
    let isLong = values.reduce(0) { $0 + $1.byteCount } > Self.openBytes
    do {
      if isLong {
        try append(long: names, values, to: &bytes)
      } else {
        let isFirst = bytes.isEmpty
        try bytes.append(limit: Self.openBytes, spill) {
          Self.append(names, values, isFirst: isFirst, to: &$0)
        }
      }
    } catch { failure = error }
  }

  private static func append(
    _ names: [String], _ values: [BorrowedValue], isFirst: Bool, to buffer: inout [UInt8]
  ) {
    for index in names.indices {
      append(names[index], index == 0, isFirst, to: &buffer)
      DeltaScalar.append(values[index], to: &buffer)
    }
    buffer.append(UInt8(ascii: "}"))
  }

  private static func append(
    _ name: String, _ isFirstMember: Bool, _ isFirstRow: Bool, to buffer: inout [UInt8]
  ) {
    let opening = isFirstRow ? "{" : ",{"
    buffer.append(contentsOf: (isFirstMember ? opening : ",").utf8)
    JSONWriter.append(name, to: &buffer)
    buffer.append(UInt8(ascii: ":"))
  }

  /// Writes in pieces through the spill, because a row may be too large for memory.
  private func append(long names: [String], _ values: [BorrowedValue], to bytes: inout SpilledBytes) throws {
    let isFirst = bytes.isEmpty
    for index in names.indices {
      try bytes.append(limit: Self.openBytes, spill) {
        Self.append(names[index], index == 0, isFirst, to: &$0)
      }
      try DeltaScalar.write(values[index]) { try bytes.append(limit: Self.openBytes, spill, $0) }
    }
    try bytes.append(limit: Self.openBytes, spill) { $0.append(UInt8(ascii: "}")) }
  }
}

extension DeltaWriter.OpenTable {
  fileprivate var isEmpty: Bool { deletes.isEmpty && upserts.isEmpty }

  fileprivate func opening(isFirst: Bool) -> [UInt8] {
    var bytes = Array((isFirst ? #"{"table":"# : #",{"table":"#).utf8)
    JSONWriter.append(name, to: &bytes)
    bytes.append(contentsOf: #","key":"#.utf8)
    JSONWriter.append(.array(key.map { .string($0) }), to: &bytes)
    bytes.append(contentsOf: #","delete":["#.utf8)
    return bytes
  }
}

/// Stores a delta's changes that do not fit in memory.
package protocol DeltaSpill: AnyObject {
  func append(_ bytes: [UInt8]) throws -> Range<Int>
  func read(_ range: Range<Int>, _ take: ([UInt8]) throws -> Void) throws
}

struct SpilledBytes {
  private var waiting: [UInt8] = []
  private var kept: [Range<Int>] = []

  enum Part {
    case bytes([UInt8])
    case kept(Range<Int>)
  }

  var isEmpty: Bool { waiting.isEmpty && kept.isEmpty }

  var parts: [Part] { kept.map(Part.kept) + [.bytes(waiting)] }

  mutating func append(limit: Int, _ spill: (any DeltaSpill)?, _ body: (inout [UInt8]) -> Void) throws {
    body(&waiting)
    try relieve(limit: limit, spill)
  }

  mutating func relieve(limit: Int, _ spill: (any DeltaSpill)?) throws {
    guard waiting.count > limit, let spill else { return }
    kept.append(try spill.append(waiting))
    waiting.removeAll(keepingCapacity: true)
  }
}

/// The members of a delta before its changes.
package struct DeltaHeader: Hashable, Sendable {
  package let series: SeedSeries
  /// The newest model of the series when the delta was made.
  package let model: ModelVersion
  package let schema: SHA256Digest
  /// The delta applies to any version in `from ... to` and leads to `to`.
  package let from: SeedVersion
  package let to: SeedVersion
  package let digest: SHA256Digest

  package init(
    series: SeedSeries, model: ModelVersion, schema: SHA256Digest, from: SeedVersion, to: SeedVersion,
    digest: SHA256Digest
  ) {
    (self.series, self.model, self.schema) = (series, model, schema)
    (self.from, self.to, self.digest) = (from, to, digest)
  }

  var opening: [UInt8] {
    let members: JSONValue = [
      "dataset": .string(series.dataset.text),
      "series": .integer(Int64(series.major)),
      "model": .string(model.description),
      "schema": .string(schema.hex),
      "from": .integer(Int64(from.number)),
      "to": .integer(Int64(to.number)),
      "digest": .string(digest.hex),
    ]
    return members.bytes.dropLast() + Array(#","changes":["#.utf8)
  }
}
