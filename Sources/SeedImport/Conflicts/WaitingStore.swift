import SeedDatabase
import SeedFormat

/// Rows that wait, in their order. So many of them are in memory; those before lie in a temporary database, so that a
/// document full of rows that want what others have takes no more memory than any other.
final class WaitingStore {
  private(set) var count = 0
  private var recent: [WaitingRow] = []
  private var bytes = 0
  private var spill: WaitingSpill?
  private let mostRows: Int

  /// Bytes of rows in memory, beyond which they are put away too.
  private static let mostBytes = 4 * 1024 * 1024

  init(mostRows: Int) { self.mostRows = mostRows }

  /// Whether there were too many of them for memory.
  var isSpilled: Bool { spill != nil }

  /// Takes a row, which may grow until the next one comes.
  func append(_ row: WaitingRow) throws {
    if recent.count >= mostRows || bytes >= Self.mostBytes { try putAway() }
    recent.append(row)
    count += 1
    bytes += row.size
  }

  private func putAway() throws {
    let spill = try spill ?? WaitingSpill()
    self.spill = spill
    for row in recent { try spill.append(row) }
    recent = []
    bytes = 0
  }

  /// Hands on all rows, one after the other.
  func forEach(_ body: (WaitingRow) throws -> Void) throws {
    try spill?.forEach(body)
    for row in recent { try body(row) }
  }

  /// All rows at once.
  func all() throws -> [WaitingRow] {
    var rows: [WaitingRow] = []
    try forEach { rows.append($0) }
    return rows
  }
}

/// Rows in a temporary database: SQLite removes it by itself.
private final class WaitingSpill {
  private let scratch: Connection
  private let insert: Statement
  private var targets: [ImportTarget] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var syncs: [ParentSync] = []

  init() throws {
    scratch = try Connection("rows that wait", .scratch)
    try scratch.execute("CREATE TABLE waiting(number INTEGER PRIMARY KEY, row BLOB); BEGIN")
    insert = try scratch.prepare("INSERT INTO waiting(row) VALUES (?)")
  }

  func append(_ row: WaitingRow) throws {
    var bytes: [UInt8] = []
    write(row, to: &bytes)
    try insert.run([.blob(bytes)])
  }

  func forEach(_ body: (WaitingRow) throws -> Void) throws {
    let statement = try scratch.prepare("SELECT row FROM waiting ORDER BY number")
    while try statement.step() {
      guard case .blob(let bytes) = try statement.value(0) else { preconditionFailure("rows are blobs") }
      var reader = ByteReader(bytes: bytes[...])
      try body(read(&reader))
    }
  }

  // MARK: A row as bytes

  private func write(_ row: WaitingRow, to bytes: inout [UInt8]) {
    bytes.append(number(of: row.target))
    bytes.append(row.values.count)
    for (column, value) in zip(row.columns, row.values) {
      bytes.append(column)
      bytes.append(value)
    }
    bytes.append(row.identity.key)
    bytes.append(row.origin.number)
    write(row.origin.place, to: &bytes)
    bytes.append(row.origin.json)
    bytes.append(row.known.count)
    for target in row.known { bytes.append(number(of: target)) }
    write(row.claims, to: &bytes)
    for rows in [row.references, row.elements] {
      bytes.append(rows.count)
      for row in rows { write(row, to: &bytes) }
    }
  }

  private func write(_ place: RowPlace, to bytes: inout [UInt8]) {
    bytes.append(Array(place.document.utf8))
    for number in [place.row, place.offset, place.line ?? 0, place.list] { bytes.append(number) }
    bytes.append(place.name.map { SeedValue.text($0) } ?? .null)
  }

  /// Lines are counted from 1.
  private func readPlace(_ bytes: inout ByteReader) -> RowPlace {
    var place = RowPlace(document: bytes.text(), row: bytes.integer(), offset: bytes.integer())
    let line = bytes.integer()
    place.line = line == 0 ? nil : line
    place.list = bytes.integer()
    if case .text(let name) = bytes.value() { place.name = name }
    return place
  }

  private func write(_ claims: [ParentClaim], to bytes: inout [UInt8]) {
    bytes.append(claims.count)
    for claim in claims {
      bytes.append(number(of: claim.sync))
      bytes.append(claim.parent.count)
      for value in claim.parent { bytes.append(value) }
    }
  }

  private func readClaims(_ bytes: inout ByteReader) -> [ParentClaim] {
    (0..<bytes.integer()).map { _ in
      let sync = syncs[bytes.integer()]
      return ParentClaim(sync: sync, parent: (0..<bytes.integer()).map { _ in bytes.value() })
    }
  }

  private func read(_ bytes: inout ByteReader) -> WaitingRow {
    let target = targets[bytes.integer()]
    var (slots, values) = (SlotSet(), [SeedValue]())
    for _ in 0..<bytes.integer() {
      slots.insert(bytes.integer())
      values.append(bytes.value())
    }
    let key = Array(bytes.slice())
    let origin = WaitingRow.Origin(
      number: bytes.integer(),
      place: readPlace(&bytes),
      json: Array(bytes.slice()))
    let known = (0..<bytes.integer()).map { _ in targets[bytes.integer()] }
    let claims = readClaims(&bytes)
    let references = (0..<bytes.integer()).map { _ in read(&bytes) }
    let row = WaitingRow(target, slots, values, key: key, references, origin)
    (row.known, row.claims) = (known, claims)
    row.elements = (0..<bytes.integer()).map { _ in read(&bytes) }
    return row
  }

  private func number(of sync: ParentSync) -> Int {
    if let number = syncs.firstIndex(where: { $0 === sync }) { return number }
    syncs.append(sync)
    return syncs.count - 1
  }

  private func number(of target: ImportTarget) -> Int {
    if let number = numbers[ObjectIdentifier(target)] { return number }
    numbers[ObjectIdentifier(target)] = targets.count
    targets.append(target)
    return targets.count - 1
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ word: UInt64) { Swift.withUnsafeBytes(of: word) { self += $0 } }

  fileprivate mutating func append(_ integer: Int) { append(UInt64(integer)) }

  fileprivate mutating func append(_ bytes: [UInt8]) {
    append(bytes.count)
    self += bytes
  }

  fileprivate mutating func append(_ value: SeedValue) {
    switch value {
    case .null: append(ValueTag.null.rawValue)
    case .integer(let value):
      append(ValueTag.integer.rawValue)
      append(UInt64(bitPattern: value))
    case .real(let value):
      append(ValueTag.real.rawValue)
      append(value.bitPattern)
    case .text(let value):
      append(ValueTag.text.rawValue)
      append(Array(value.utf8))
    case .blob(let value):
      append(ValueTag.blob.rawValue)
      append(value)
    }
  }
}

private enum ValueTag: UInt8 { case null, integer, real, text, blob }

/// Reads what was written above, by this process.
private struct ByteReader {
  var bytes: ArraySlice<UInt8>

  mutating func word() -> UInt64 {
    defer { bytes = bytes.dropFirst(MemoryLayout<UInt64>.size) }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }

  mutating func integer() -> Int { Int(word()) }

  mutating func slice() -> ArraySlice<UInt8> {
    let count = integer()
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func text() -> String { String(decoding: slice(), as: UTF8.self) }

  mutating func value() -> SeedValue {
    guard let tag = ValueTag(rawValue: bytes.removeFirst()) else { preconditionFailure("a value has a tag") }
    switch tag {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: word()))
    case .real: return .real(Double(bitPattern: word()))
    case .text: return .text(text())
    case .blob: return .blob(Array(slice()))
    }
  }
}
