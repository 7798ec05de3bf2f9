/// Writes a delta's header and its changes by table. The header contains the final state digest, so the changes are
/// collected first, in memory and then in a spill file. Order within a table: filled rows, deletes, inserts, updates.
package struct DeltaWriter {
  private var parts: [SpilledBytes.Part] = []
  private var table: OpenTable?
  private let spill: (any DeltaSpill)?
  /// The spill's first error, after which the delta cannot be finished.
  private var failure: (any Error)?

  /// Bytes that each list of a table buffers in memory.
  private static let openBytes = 256 * 1024
  /// Bytes of each list that stay in memory once its table has ended.
  private static let closedBytes = 8 * 1024

  fileprivate struct OpenTable {
    let name: String
    let key: [String]
    let columns: [String]
    /// The columns that ``fill(lent:)`` sets, as positions.
    let fill: [Int]
    var filled = SpilledBytes()
    /// Rows skipped since the last filled one.
    var skipped = 0
    var deletes = SpilledBytes()
    var inserts = SpilledBytes()
    var updates = SpilledBytes()
    /// Each distinct set of columns that an update changed, as column positions.
    var sets: [[Int]] = []
    /// The index of each set in `sets`.
    var numbers: [[Int]: Int] = [:]
  }

  /// Keeps all changes in memory if there is no spill.
  package init(spill: (any DeltaSpill)? = nil) { self.spill = spill }

  package var isEmpty: Bool { parts.isEmpty && (table?.isEmpty ?? true) }

  /// The number of different sets of columns in the open table's updates. All sets are kept in memory.
  package var sets: Int { table?.sets.count ?? 0 }

  /// Starts a table; a table without changes is omitted. A delta that begins a new minor also names the new
  /// columns, `fill`, for which it lists the values of all rows.
  package mutating func begin(table name: String, key: [String], columns: [String], filling fill: [Int] = [])
  {
    endTable()
    table = OpenTable(name: name, key: key, columns: columns, fill: fill)
  }

  /// Discards changes since the last ``begin(table:key:columns:filling:)``.
  package mutating func abandonTable() { table = nil }

  /// Sets the filled columns of the table's next row in key order.
  package mutating func fill(lent values: [BorrowedValue]) {
    let skipped = table?.skipped ?? 0
    add(values, of: { $0.fill.count }, between: (skipped > 0 ? "[\(skipped)]," : "", ""), to: \.filled)
    table?.skipped = 0
  }

  /// Leaves the next row of the table unchanged.
  package mutating func skip() { table?.skipped += 1 }

  package mutating func delete(_ key: [SeedValue]) { LentBytes.lending(key) { delete(lent: $0) } }

  package mutating func delete(lent key: [BorrowedValue]) { add(key, of: { $0.key.count }, to: \.deletes) }

  package mutating func insert(_ row: [SeedValue]) { LentBytes.lending(row) { insert(lent: $0) } }

  /// Adds a whole row. A client inserts it, or replaces its row with the same key.
  package mutating func insert(lent row: [BorrowedValue]) {
    add(row, of: { $0.columns.count }, to: \.inserts)
  }

  /// Sets the columns at `positions`, which must ascend, of a row that every client has.
  package mutating func update(_ key: [SeedValue], _ values: [SeedValue], at positions: [Int]) {
    LentBytes.lending(key + values) { update(lent: $0, at: positions) }
  }

  package mutating func update(lent values: [BorrowedValue], at positions: [Int]) {
    let number = table?.number(of: positions) ?? 0
    add(values, of: { $0.key.count + positions.count }, between: ("[\(number),", "]"), to: \.updates)
  }

  /// Passes the whole document to `take` in pieces, as one line. Throws the spill's error.
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

  /// Returns the whole document of a writer without a spill.
  package consuming func document(_ header: DeltaHeader) -> [UInt8] {
    precondition(spill == nil, "only a writer without a spill makes a document in memory")
    var document: [UInt8] = []
    do {
      try write(header) { document += $0 }
    } catch { preconditionFailure("writing to memory cannot fail: \(error)") }
    return document
  }

  private mutating func endTable() {
    guard var open = table.take(), !open.isEmpty else { return }
    do {
      for list in [\OpenTable.filled, \.deletes, \.inserts, \.updates] {
        try open[keyPath: list].spillIfLarge(limit: Self.closedBytes, spill)
      }
    } catch { failure = failure ?? error }
    parts.append(.bytes(open.opening(isFirst: parts.isEmpty)))
    for (name, bytes) in open.lists {
      parts.append(.bytes(Array(",\"\(name)\":[".utf8)))
      parts += bytes.parts
      parts.append(.bytes([UInt8(ascii: "]")]))
    }
    parts.append(.bytes([UInt8(ascii: "}")]))
  }

  /// No caller may hold a copy of the table. Otherwise, each added row would copy the whole list to which it is added.
  private mutating func add(
    _ values: [BorrowedValue], of width: (OpenTable) -> Int,
    between marks: (String, String) = ("[", "]"), to list: WritableKeyPath<OpenTable, SpilledBytes>
  ) {
    guard var open = table.take() else { preconditionFailure("a row outside a table") }
    defer { table = open }
    precondition(values.count == width(open), "a row with \(values.count) of \(width(open)) values")
    // A failed delta collects nothing more.
    guard failure == nil else { return }
    do { try Self.add(values, between: marks, to: &open[keyPath: list], spill) } catch { failure = error }
  }

  private static func add(
    _ values: [BorrowedValue], between marks: (String, String), to bytes: inout SpilledBytes,
    _ spill: (any DeltaSpill)?
  ) throws {
    // Written in pieces through the spill, because the row may be too large for memory.
    func put(_ piece: (inout [UInt8]) -> Void) throws { try bytes.append(limit: openBytes, spill, piece) }
    let opening = (bytes.isEmpty ? "" : ",") + marks.0
    try put { $0.append(contentsOf: opening.utf8) }
    for index in values.indices {
      if index > 0 { try put { $0.append(UInt8(ascii: ",")) } }
      try DeltaScalar.write(values[index], put)
    }
    try put { $0.append(contentsOf: marks.1.utf8) }
  }
}

extension DeltaWriter.OpenTable {
  fileprivate var isEmpty: Bool { lists.allSatisfy(\.bytes.isEmpty) }

  fileprivate var lists: [(name: String, bytes: SpilledBytes)] {
    (filled.isEmpty ? [] : [("filled", filled)])
      + [("delete", deletes), ("insert", inserts), ("update", updates)]
  }

  fileprivate mutating func number(of positions: [Int]) -> Int {
    if let known = numbers[positions] { return known }
    sets.append(positions)
    numbers[positions] = sets.count - 1
    return sets.count - 1
  }

  fileprivate func opening(isFirst: Bool) -> [UInt8] {
    let members = JSONValue.object(
      .init(
        ("table", .string(name)), ("key", JSONValue(strings: key)), ("columns", JSONValue(strings: columns)),
        ("sets", .array(sets.map(names))), ("fill", filled.isEmpty ? nil : names(fill))))
    return Array((isFirst ? "" : ",").utf8) + members.bytes.dropLast()
  }

  private func names(_ positions: [Int]) -> JSONValue { JSONValue(strings: positions.map { columns[$0] }) }
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
    try spillIfLarge(limit: limit, spill)
  }

  mutating func spillIfLarge(limit: Int, _ spill: (any DeltaSpill)?) throws {
    guard waiting.count > limit, let spill else { return }
    kept.append(try spill.append(waiting))
    waiting.removeAll(keepingCapacity: true)
  }
}

package struct DeltaHeader: Hashable, Sendable {
  package let series: SeedSeries
  /// The newest model of the series when the delta was made.
  package let model: ModelVersion
  package let schema: SHA256Digest
  /// The delta applies to any version in `from ... to` and leads to `to`.
  package let from: SeedVersion
  package let to: SeedVersion
  package let digest: SHA256Digest
  /// Present only in the delta that begins a new minor version. Such a delta covers a single version.
  package let additions: SchemaAdditions?

  package init(
    series: SeedSeries, model: ModelVersion, schema: SHA256Digest, from: SeedVersion, to: SeedVersion,
    digest: SHA256Digest, additions: SchemaAdditions? = nil
  ) {
    (self.series, self.model, self.schema) = (series, model, schema)
    (self.from, self.to, self.digest, self.additions) = (from, to, digest, additions)
  }

  /// The schema of the seeds to which the delta applies.
  package var schemaBefore: SHA256Digest { additions?.before ?? schema }

  var opening: [UInt8] {
    let members = JSONValue.object(
      .init(
        ("dataset", .string(series.dataset.text)), ("series", JSONValue(series.major)),
        ("model", .string(model.description)), ("schema", .string(schema.hex)),
        ("from", JSONValue(from.number)), ("to", JSONValue(to.number)), ("digest", .string(digest.hex)),
        ("additions", additions?.json)))
    return members.bytes.dropLast() + Array(#","changes":["#.utf8)
  }
}

/// The SQL that extends the schema of an older minor version to that of a newer one.
package struct SchemaAdditions: Hashable, Sendable {
  /// The schema hash of the older minor version.
  package let before: SHA256Digest
  package let statements: [String]

  package init(before: SHA256Digest, statements: [String]) {
    (self.before, self.statements) = (before, statements)
  }

  var json: JSONValue { ["before": .string(before.hex), "sql": JSONValue(strings: statements)] }
}
