import SeedDatabase
import SeedFormat

/// Rows that wait, with their nested rows, because another row, which may still change, holds their unique value. A
/// temporary table keeps their JSON, which is read again after the last row. A later row with the key of a waiting
/// row has to wait too.
final class WaitingRows {
  /// `turn` is the latest turn before the row; see ``ParentLedger``.
  typealias Row = (number: Int64, turn: Int64, place: RowPlace, json: [UInt8])

  private(set) var isEmpty = true
  private let connection: Connection
  /// The hash of a waiting row's values by the hash of its key; ``several`` if rows with this key differ.
  private var versions: [Int: Int] = [:]
  private var targets: [ObjectIdentifier: ImportTarget] = [:]
  /// The hashes of keys with several waiting versions; these rows are retried only in document order.
  private var contested: Set<Int> = []
  private var isBackwards = false

  private static let several = 0
  private static let table = "temp.seedbank_waiting"

  init(_ connection: Connection) { self.connection = connection }

  /// Whether writing the plan's row now would let an older, waiting row overwrite it later. An equal row does no harm,
  /// and is common: many rows may contain an object that also occurs in a waiting row.
  func hasOlder(than plan: RowPlan, _ identity: Int) -> Bool {
    if isBackwards { return contested.contains(identity) }
    return versions[identity].map { $0 != Self.version(plan) } ?? false
  }

  private static func version(_ plan: RowPlan) -> Int {
    var hasher = Hasher()
    hasher.combine(plan.slots)
    for column in plan.table.columns.indices where plan.slots.contains(column) {
      hasher.combine(plan.value(column).owned)
    }
    return hasher.finalize() | 1
  }

  func note(_ plan: RowPlan, _ identity: Int) {
    let version = Self.version(plan)
    versions[identity] = versions[identity, default: version] == version ? version : Self.several
    plan.target.hasWaitingRows = true
    targets[ObjectIdentifier(plan.target)] = plan.target
  }

  func add(_ json: [UInt8], _ place: RowPlace, turn: Int64) throws {
    if isEmpty {
      try connection.execute("DROP TABLE IF EXISTS \(Self.table)")
      try connection.execute(
        "CREATE TABLE \(Self.table)(number INTEGER PRIMARY KEY, turn, document, row, offset, line, list, name, json)"
      )
    }
    isEmpty = false
    try connection.cached("INSERT INTO \(Self.table) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)").run([
      .integer(turn), .text(place.document), .integer(Int64(place.row)), .integer(Int64(place.offset)),
      place.line.map { .integer(Int64($0)) } ?? .null, .integer(Int64(place.list)),
      place.name.map { .text($0) } ?? .null, .blob(json),
    ])
  }

  /// Starts to retry. From here on, rows wait only for unique values, not for older rows with their key.
  func open() {
    contested = Set(versions.filter { $0.value == Self.several }.keys)
    versions = [:]
    for target in targets.values { target.hasWaitingRows = false }
    targets = [:]
  }

  /// Passes all rows to `body`, and removes those for which it returns true.
  func forEach(backwards: Bool, _ body: (Row) throws -> Bool) throws {
    isBackwards = backwards
    defer { isBackwards = false }
    var current: Int64 = backwards ? .max : 0
    let isNext = backwards ? "< ? ORDER BY number DESC" : "> ? ORDER BY number"
    while let row = try connection.rows(
      "SELECT * FROM \(Self.table) WHERE number \(isNext) LIMIT 1", .integer(current)
    ).first.map(Self.row) {
      current = row.number
      guard try body(row) else { continue }
      try connection.cached("DELETE FROM \(Self.table) WHERE number = ?").run([.integer(row.number)])
    }
  }

  func close() throws {
    try connection.execute("DROP TABLE \(Self.table)")
    (isEmpty, contested) = (true, [])
  }

  private static func row(_ values: [SeedValue]) -> Row {
    let numbers = values.map { if case .integer(let value) = $0 { value } else { Int64(0) } }
    let place = RowPlace(
      document: values[2].text, row: Int(numbers[3]), offset: Int(numbers[4]),
      line: values[5] == .null ? nil : Int(numbers[5]), list: Int(numbers[6]), name: values[7].textIfAny)
    guard case .blob(let json) = values[8] else { preconditionFailure("rows are blobs") }
    return (numbers[0], numbers[1], place, json)
  }
}
