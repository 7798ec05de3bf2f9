import SeedDatabase
package import SeedFormat
import SeedSystem
import SeedTrust

/// What the steps did, in a small SQLite file beside the working copies. It is for people. A history that is missing
/// or damaged never stops a step: it is set aside and begun anew. Steps with the same outcome are counted in one row,
/// so that a quiet month leaves room for the rest.
package struct StepHistory: Sendable {
  private let stateFolder: String
  private let report: @Sendable (LogRecord) -> Void

  /// Rows that are kept; the oldest go first.
  package static let mostRecords = 2000
  private static let layout: Int64 = 1

  /// The history of the publisher that keeps its files there.
  package init(_ stateFolder: String, report: @escaping @Sendable (LogRecord) -> Void = { _ in }) {
    (self.stateFolder, self.report) = (stateFolder, report)
  }

  /// The file.
  package var path: String { "\(stateFolder)/history.sqlite" }

  /// The newest records, the newest first; none where there is no history yet.
  package func newest(_ count: Int, of dataset: DatasetName? = nil) throws -> [StepRecord] {
    try records(
      "WHERE dataset = ifnull(?, dataset) ORDER BY id DESC LIMIT \(count)",
      [dataset.map { .text($0.text) } ?? .null])
  }

  /// The newest record of a series, or of its dataset where that is newer and ended before any series.
  package func latest(of series: Series) throws -> StepRecord? {
    try records(
      "WHERE dataset = ? AND (major = ? OR major IS NULL) ORDER BY id DESC LIMIT 1",
      [.text(series.dataset.text), SeedValue(series.major)]
    ).first
  }

  private func records(_ condition: String, _ values: [SeedValue]) throws -> [StepRecord] {
    guard Folder.exists(path) else { return [] }
    return try StepTable(connection: Connection(path, .reader)).records(condition, values).map(\.record)
  }

  /// Notes steps. A failure is reported and no more.
  package func record(_ records: [StepRecord]) {
    do {
      do {
        try write(records)
      } catch let error where Self.isDamage(error) {
        try setAside("\(error)")
        try write(records)
      }
    } catch { report(LogRecord(.warning, "The history of steps could not be written: \(error.cause)")) }
  }

  private func write(_ records: [StepRecord]) throws {
    try Folder.create(stateFolder)
    let connection = try Connection(path, .creator)
    // A publisher that looks every two seconds must not sync the disk as often: a power loss costs only history.
    if records.allSatisfy({ $0.outcome == .unchanged }) { try connection.execute("PRAGMA synchronous = OFF") }
    try connection.transaction {
      let table = StepTable(connection: connection)
      if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try table.create(layout: Self.layout)
      }
      let layout = try connection.integer("PRAGMA user_version") ?? 0
      guard layout == Self.layout else { throw OtherLayout(found: layout) }
      for record in records { try table.append(record) }
      try table.drop(allBut: Self.mostRecords)
    }
  }

  private func setAside(_ reason: String) throws {
    for suffix in ["-journal", "-wal", "-shm"] { try Folder.remove(path + suffix) }
    try Folder.rename(path, to: path + ".damaged")
    report(
      LogRecord(
        .warning, "The history of steps was damaged and starts over: \(reason)",
        [JSONMember("setAside", .string(path + ".damaged"))]))
  }

  /// Whether the file is to blame, and not the disk, a lock or a permission.
  private static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return error is OtherLayout }
    // SQLITE_ERROR, 1, stands for tables or columns that are not what they should be.
    return error.saysDamage || [ResultCode.constraint, 1].contains(error.primaryCode)
  }
}

private struct OtherLayout: Error, CustomStringConvertible {
  let found: Int64

  var description: String { "it has the layout \(found)" }
}

/// The history's two tables. In the file they keep the name that steps had when its layout was made.
private struct StepTable {
  let connection: Connection

  func create(layout: Int64) throws {
    try connection.execute(
      """
      CREATE TABLE build(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, last INTEGER NOT NULL, times INTEGER NOT NULL,
        milliseconds INTEGER NOT NULL, dataset TEXT NOT NULL, major INTEGER, outcome TEXT NOT NULL,
        head_before INTEGER, head_after INTEGER, delta_bytes INTEGER, snapshot_bytes INTEGER, error TEXT);
      CREATE INDEX build_series ON build(dataset, major);
      CREATE TABLE build_table(build INTEGER NOT NULL, name TEXT NOT NULL, inserted INTEGER NOT NULL,
        updated INTEGER NOT NULL, deleted INTEGER NOT NULL, PRIMARY KEY(build, name)) WITHOUT ROWID;
      PRAGMA user_version = \(layout);
      """)
  }

  private static let columns =
    "at, last, times, milliseconds, dataset, major, outcome, head_before, head_after, delta_bytes, snapshot_bytes, error"

  /// Adds a record, or counts it with the one before it where both say the same.
  func append(_ record: StepRecord) throws { if try !repeatsLatest(record) { try insert(record) } }

  private func repeatsLatest(_ record: StepRecord) throws -> Bool {
    guard record.outcome != .published, record.outcome != .rolledBack,
      let (id, latest) = try records(
        "WHERE dataset = ? AND major IS ? ORDER BY id DESC LIMIT 1",
        [.text(record.dataset.text), SeedValue(record.series?.major)]
      ).first, latest.outcome == record.outcome, latest.error == record.error, latest.to == record.to
    else { return false }
    // Identifiers tell what came when: a clock may be set back.
    let next = try connection.integer("SELECT max(id) + 1 FROM build") ?? 1
    try connection.execute("UPDATE build_table SET build = ? WHERE build = ?", .integer(next), .integer(id))
    try connection.execute(
      "UPDATE build SET id = ?, last = ?, times = times + 1, milliseconds = ? WHERE id = ?", .integer(next),
      SeedValue(record.at.secondsSinceEpoch), SeedValue(record.milliseconds), .integer(id))
    return true
  }

  private func insert(_ record: StepRecord) throws {
    try connection.cached(
      "INSERT INTO build(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).run([
      SeedValue(record.at.secondsSinceEpoch), SeedValue(record.last.secondsSinceEpoch),
      SeedValue(record.times), SeedValue(record.milliseconds), .text(record.dataset.text),
      SeedValue(record.series?.major), .text(record.outcome.rawValue), SeedValue(record.from),
      SeedValue(record.to), SeedValue(record.deltaBytes), SeedValue(record.snapshotBytes),
      record.error.map { .text($0) } ?? .null,
    ])
    for (name, changes) in record.changes {
      try connection.execute(
        "INSERT INTO build_table SELECT max(id), ?, ?, ?, ? FROM build", .text(name),
        SeedValue(changes.inserted), SeedValue(changes.updated), SeedValue(changes.deleted))
    }
  }

  func drop(allBut count: Int) throws {
    try connection.execute(
      "DELETE FROM build WHERE id <= (SELECT id FROM build ORDER BY id DESC LIMIT 1 OFFSET \(count))")
    try connection.execute("DELETE FROM build_table WHERE build < (SELECT min(id) FROM build)")
  }

  func records(_ condition: String, _ values: [SeedValue]) throws -> [(id: Int64, record: StepRecord)] {
    let statement = try connection.prepare("SELECT \(Self.columns), id FROM build \(condition)")
    try statement.bind(values)
    var records: [(id: Int64, record: StepRecord)] = []
    while try statement.step() { records.append(try record(try statement.row())) }
    return records
  }

  private func record(_ row: [SeedValue]) throws -> (id: Int64, record: StepRecord) {
    guard let id = row[12].number, let outcome = StepRecord.Outcome(rawValue: row[6].text) else {
      throw NotASeed("a step with the outcome \"\(row[6])\"")
    }
    func time(_ column: Int) -> UTCTime { UTCTime(secondsSinceEpoch: row[column].number ?? 0) }
    let dataset = try DatasetName(row[4].text)
    var record = StepRecord(outcome, of: dataset, at: time(0), milliseconds: row[3].number ?? 0)
    record.last = time(1)
    record.times = row[2].number ?? 1
    record.series = try row[5].number.map { try Series(dataset, major: $0) }
    (record.from, record.to) = (row[7].number, row[8].number)
    (record.deltaBytes, record.snapshotBytes) = (row[9].number, row[10].number)
    if case .text(let error) = row[11] { record.error = error }
    record.changes = try changes(of: Int64(id))
    return (Int64(id), record)
  }

  private func changes(of record: Int64) throws -> ChangeReport {
    try connection.rows(
      "SELECT name, inserted, updated, deleted FROM build_table WHERE build = ?", .integer(record)
    ).reduce(into: [:]) { report, row in
      var changes = TableChanges()
      let (inserted, updated, deleted) = (row[1].number, row[2].number, row[3].number)
      (changes.inserted, changes.updated, changes.deleted) = (inserted ?? 0, updated ?? 0, deleted ?? 0)
      report[row[0].text] = changes
    }
  }
}

extension SeedValue {
  fileprivate init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  fileprivate var number: Int? {
    if case .integer(let value) = self { Int(exactly: value) } else { nil }
  }
}
