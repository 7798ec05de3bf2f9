import SeedDatabase
import SeedFormat

/// One table of an import: its batches of rows, its counts, and the keys that the import mentioned.
final class ImportTarget {
  let table: TableSchema
  /// The table's key, stored because each access through the table would copy and free it.
  let key: [Int]
  let keyParts: [KeyIdentity.Part]
  let mode: TableMapping.MergeMode
  @exclusivity(unchecked) var recurs = false
  @exclusivity(unchecked) var recent = RecentRows()
  @exclusivity(unchecked) var seen: SeenKeys?
  /// In mode `replace`, the values for columns that a row does not mention.
  @exclusivity(unchecked) var schemaDefaults: [Int: SeedValue] = [:]
  /// Whether rows wait for a unique value; later rows with their keys must wait too.
  @exclusivity(unchecked) var hasWaitingRows = false
  /// The row count before the import, for tables that may lose unmentioned rows.
  var rowsBefore = 0
  var rejected = 0
  var deleted = 0
  /// Rows in which a reference became NULL because the referenced row was deleted.
  var cleared = 0
  var recognised = 0
  var hasLostKeys = false
  private var filled: Set<Int> = []
  /// The batches with open statements, the oldest first. There may be many, because rows may fill different columns.
  private var open: [RowBatch] = []
  /// The counts of batches whose statements were closed.
  private var closed: (changes: TableChanges, statements: Int) = (TableChanges(), 0)
  @exclusivity(unchecked) var collected = CollectedRows()
  private(set) lazy var conflicts = UniqueConflict(connection, table)
  private let connection: Connection
  private let fitter: AffinityFitter
  let rule: ConflictRule

  init(
    _ table: TableSchema, _ mode: TableMapping.MergeMode, _ connection: Connection, _ fitter: AffinityFitter,
    _ rule: ConflictRule
  ) {
    self.table = table
    key = table.key
    keyParts = table.keyColumns.map { ($0.affinity, $0.collation) }
    self.mode = mode
    (self.connection, self.fitter, self.rule) = (connection, fitter, rule)
  }

  /// A batch for rows that fill these columns. `omitted` columns get defaults in new rows; in mode `replace`, in all.
  func batch(_ columns: [Int], omitted: [Int]) throws -> RowBatch {
    let columns = mode == .replace ? columns + omitted : columns
    guard let shape = RowShape(columns, onlyNew: mode == .replace ? [] : omitted, of: table) else {
      throw RejectedRow(.missingKey, "a column of the key is missing")
    }
    filled.formUnion(columns)
    return RowBatch(table, shape, connection, fitter, rule: rule)
  }

  /// Maximum number of batches with open statements; each takes about 10 KiB.
  private static let mostOpen = 1024

  /// Must be called before the batch or its writer is used.
  @inline(__always)
  func open(_ batch: RowBatch) { if !batch.isOpen { note(open: batch) } }

  private func note(open batch: RowBatch) {
    batch.isOpen = true
    open.append(batch)
    guard open.count > Self.mostOpen else { return }
    let oldest = open.removeFirst()
    closed = (closed.changes + oldest.writer.changes, closed.statements + oldest.statements)
    oldest.close()
  }

  private var changes: TableChanges { open.reduce(closed.changes) { $0 + $1.writer.changes } }

  var report: ImportReport.Table {
    let changes = changes
    return ImportReport.Table(
      inserted: changes.inserted, updated: changes.updated + cleared,
      unchanged: changes.unchanged + recognised, deleted: deleted, rejected: rejected)
  }

  var statements: Int { open.reduce(closed.statements + (seen?.statements ?? 0)) { $0 + $1.statements } }

  func fills(_ columns: [String]) -> Bool { filled.contains { columns.contains(table.columns[$0].name) } }

  var isTouched: Bool { deleted + cleared > 0 || !changes.isEmpty }

  /// The counts at a point in time, to roll back to.
  typealias Mark = (changes: TableChanges, rejected: Int, recognised: Int)

  var mark: Mark { (changes, rejected, recognised) }

  func restore(_ mark: Mark) {
    for batch in open { batch.writer.restore(TableChanges()) }
    closed.changes = mark.changes
    (rejected, recognised) = (mark.rejected, mark.recognised)
    recent.clear()
  }
}

extension Sequence<ImportTarget> {
  /// Keeps all rows that the import does not mention, because rows with unknown keys may mention them.
  func loseKeys() { for target in self { target.hasLostKeys = true } }
}

/// A cache of written rows by key. Nested objects often recur unchanged, and are then not written again.
struct RecentRows {
  private var rows: [[UInt8]: [UInt8]] = [:]
  private var size = 0

  /// Maximum number of bytes of keys and rows that are cached; beyond it, the cache is emptied.
  private static let capacity = 8 * 1024 * 1024

  func contains(_ key: [UInt8], _ row: [UInt8]) -> Bool { rows[key] == row }

  mutating func remember(_ key: [UInt8], _ row: [UInt8]) {
    if size + key.count + row.count > Self.capacity { clear() }
    size += key.count + row.count
    rows[key] = row
  }

  mutating func forget(_ key: [UInt8]) { rows[key] = nil }

  mutating func clear() {
    rows.removeAll(keepingCapacity: true)
    size = 0
  }
}

extension TableSchema {
  var keyColumns: [ColumnSchema] { key.map { columns[$0] } }

  func qualified(_ column: Int) -> String { "\(quoted(name)).\(quoted(columns[column].name))" }
}

extension Connection {
  /// Makes a temporary table of keys. Without the columns' types, SQLite could not use its index in a join and would
  /// scan all keys for each row.
  func makeKeyTable(
    _ name: String, _ names: [String], like columns: [ColumnSchema], besides others: String = ""
  ) throws {
    let types = zip(names, columns).map { "\($0) \($1.affinity.rawValue) COLLATE \($1.collation.rawValue), " }
    try execute("DROP TABLE IF EXISTS \(name)")
    try execute(
      "CREATE TABLE \(name)(\(types.joined())\(others)PRIMARY KEY (\(names.joined(separator: ", ")))) WITHOUT ROWID"
    )
  }
}

/// The keys that an import mentioned, in a temporary table; rows with other keys are deleted at the end.
final class SeenKeys {
  private let table: TableSchema
  private let connection: Connection
  private let add: RowStatement
  private let name: String

  init(_ table: TableSchema, number: Int, _ connection: Connection) throws {
    self.table = table
    self.connection = connection
    name = "temp.seedbank_seen_\(number)"
    try connection.makeKeyTable(name, table.keyNames.map(quoted), like: table.keyColumns)
    let (name, width) = (name, table.key.count)
    add = RowStatement(connection) {
      "INSERT OR IGNORE INTO \(name) VALUES \(RowStatement.marks(width, rows: $0))"
    }
  }

  var statements: Int { add.runs }

  func insert(_ key: [BorrowedValue]) throws { try add.run(key, width: key.count) }

  func insert(_ rows: LentRows, _ columns: [Int]) throws { try add.run(rows, columns) }

  /// The SQL condition for rows that the import did not mention.
  var isUnmentioned: String {
    let matches = table.keyNames.map { "seedbank_seen.\(quoted($0)) = \(quoted(table.name)).\(quoted($0))" }
    return "NOT EXISTS (SELECT 1 FROM \(name) AS seedbank_seen WHERE \(matches.joined(separator: " AND ")))"
  }

  var isEmpty: Bool { get throws { try connection.value("SELECT 1 FROM \(name) LIMIT 1") == nil } }

  func drop() throws { try connection.execute("DROP TABLE \(name)") }
}

/// Converts keys to bytes that are equal if SQLite considers the keys equal by affinity and collation.
final class KeyIdentity {
  private let fitter = AffinityFitter()
  private let bytes = LentBytes()

  typealias Part = (affinity: Affinity, collation: Collation)

  func describe(_ key: [BorrowedValue], _ parts: [Part], to identity: inout [UInt8]) throws {
    bytes.clear()
    var key = key
    for place in key.indices where !Self.isPlain(key[place], parts[place]) {
      key[place] = try normal(key[place], parts[place])
    }
    CanonicalRow.write(lent: key, over: &identity)
  }

  /// Whether no other value is equal to this one as a key. This is the common case, and needs no conversion.
  static func isPlain(_ value: BorrowedValue, _ part: Part) -> Bool {
    switch value {
    case .real: false
    case .text: part.collation == .binary && AffinityFitter.fits(value, part.affinity)
    case .null, .integer, .blob: AffinityFitter.fits(value, part.affinity)
    }
  }

  private func normal(_ value: BorrowedValue, _ part: Part) throws -> BorrowedValue {
    var value = value
    if !AffinityFitter.fits(value, part.affinity) {
      value = bytes.lend(try fitter.fit(value.owned, to: part.affinity))
    }
    switch value {
    case .real(let real): return Int64(exactly: real).map { .integer($0) } ?? value
    case .text(let text):
      switch part.collation {
      case .binary: return value
      case .rightTrim: return .text(KeyOrder.trimmed(text))
      case .noCase: return .text(lowercased(text))
      }
    case .null, .integer, .blob: return value
    }
  }

  /// Lower-cases like SQLite's NOCASE: ASCII letters only; after a NUL, only the length counts.
  private func lowercased(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let room = bytes.room(text.count)
    var isBehindNUL = false
    for (place, byte) in text.enumerated() {
      isBehindNUL = isBehindNUL || byte == 0
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      room[place] = isBehindNUL ? 0 : isUpper ? byte | 0x20 : byte
    }
    return UnsafeBufferPointer(room.bindMemory(to: UInt8.self))
  }
}
