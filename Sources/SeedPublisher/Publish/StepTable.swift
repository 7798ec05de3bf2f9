import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The history's tables. Two of them keep an older name for steps in the file.
struct StepTable {
  let connection: Connection

  func create(layout: Int64) throws {
    try connection.execute(
      """
      CREATE TABLE build(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, last INTEGER NOT NULL, times INTEGER NOT NULL,
        milliseconds INTEGER NOT NULL, dataset TEXT NOT NULL, major INTEGER, outcome TEXT NOT NULL,
        head_before INTEGER, head_after INTEGER, delta_bytes INTEGER, snapshot_bytes INTEGER, rows INTEGER, found_by TEXT,
        found_why TEXT, found_reason TEXT, missed_rows INTEGER NOT NULL, reason TEXT, error TEXT);
      CREATE INDEX build_series ON build(dataset, major);
      CREATE TABLE build_table(build INTEGER NOT NULL, name TEXT NOT NULL, inserted INTEGER NOT NULL,
        updated INTEGER NOT NULL, deleted INTEGER NOT NULL, PRIMARY KEY(build, name)) WITHOUT ROWID;
      CREATE TABLE step_count(dataset TEXT NOT NULL, major INTEGER NOT NULL, outcome TEXT NOT NULL,
        count INTEGER NOT NULL, missed_rows INTEGER NOT NULL, PRIMARY KEY(dataset, major, outcome)) WITHOUT ROWID;
      PRAGMA user_version = \(layout);
      """)
  }

  private static let columns =
    "at, last, times, milliseconds, dataset, major, outcome, head_before, head_after, delta_bytes, snapshot_bytes, "
    + "rows, found_by, found_why, found_reason, missed_rows, reason, error"

  /// Returns true if the record was merged with an equal one before it.
  func append(_ record: StepRecord) throws -> Bool {
    try count(record)
    let isOfSameKind = try newestIsWithoutSeries(record.dataset) == (record.series == nil)
    if try repeatsLatest(record) { return isOfSameKind }
    try insert(record)
    return false
  }

  /// After a failure of the dataset, an unchanged series repeats its own record but is still news.
  private func newestIsWithoutSeries(_ dataset: DatasetName) throws -> Bool {
    try connection.integer(
      "SELECT major IS NULL FROM build WHERE dataset = ? ORDER BY id DESC LIMIT 1", .text(dataset.text)) == 1
  }

  /// Steps before any series count under the major 0. Records are deleted eventually, but the counts never decrease.
  private func count(_ record: StepRecord) throws {
    try connection.execute(
      """
      INSERT INTO step_count VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET count = count + 1,
        missed_rows = missed_rows + excluded.missed_rows
      """, .text(record.dataset.text), SeedValue(record.series?.major ?? 0), .text(record.outcome.rawValue),
      SeedValue(record.missedRows))
  }

  private func repeatsLatest(_ record: StepRecord) throws -> Bool {
    guard record.outcome != .published, record.outcome != .rolledBack,
      let (id, latest) = try records(
        "WHERE dataset = ? AND major IS ? ORDER BY id DESC LIMIT 1",
        [.text(record.dataset.text), SeedValue(record.series?.major)]
      ).first, latest.outcome == record.outcome, latest.error == record.error, latest.to == record.to,
      latest.foundBy == record.foundBy,
      try !isInterrupted(id, latest, record)
    else { return false }
    // Records are ordered by identifier because the clock may be set back.
    let next = try connection.integer("SELECT max(id) + 1 FROM build") ?? 1
    try connection.execute("UPDATE build_table SET build = ? WHERE build = ?", .integer(next), .integer(id))
    try connection.execute(
      "UPDATE build SET id = ?, last = ?, times = times + 1, milliseconds = ? WHERE id = ?",
      .integer(next), SeedValue(record.at.secondsSinceEpoch), SeedValue(record.milliseconds), .integer(id))
    return true
  }

  /// Whether the dataset had another outcome in between. Other series' records of the same steps do not count.
  private func isInterrupted(_ id: Int64, _ latest: StepRecord, _ record: StepRecord) throws -> Bool {
    let major = SeedValue(record.series?.major)
    return try connection.integer(
      """
      SELECT count(*) FROM build WHERE dataset = ? AND id > ? AND last NOT IN (?, ?)
        AND (major IS NULL OR ? IS NULL OR major = ?)
      """, .text(record.dataset.text), .integer(id), SeedValue(latest.last.secondsSinceEpoch),
      SeedValue(record.at.secondsSinceEpoch), major, major) != 0
  }

  private func insert(_ record: StepRecord) throws {
    try connection.cached(
      "INSERT INTO build(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).run([
      SeedValue(record.at.secondsSinceEpoch), SeedValue(record.last.secondsSinceEpoch),
      SeedValue(record.times), SeedValue(record.milliseconds), .text(record.dataset.text),
      SeedValue(record.series?.major), .text(record.outcome.rawValue), SeedValue(record.from),
      SeedValue(record.to), SeedValue(record.deltaBytes), SeedValue(record.snapshotBytes),
      SeedValue(record.rows), SeedValue(record.foundBy?.way.rawValue),
      SeedValue(record.foundBy?.why?.rawValue),
      SeedValue(record.foundBy?.reason), SeedValue(record.missedRows), SeedValue(record.reason?.rawValue),
      SeedValue(record.error),
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

  func standing(of series: SeedSeries, steps: Int) throws -> StepHistory.Standing {
    let own = "WHERE dataset = ? AND (major = ? OR major IS NULL)"
    let values: [SeedValue] = [.text(series.dataset.text), SeedValue(series.major)]
    let good = StepRecord.Outcome.allCases.filter(\.isGoodLook).map { "'\($0.rawValue)'" }.joined(
      separator: ", ")
    return StepHistory.Standing(
      newest: try records("\(own) ORDER BY id DESC LIMIT 1", values).first?.record,
      good: try records("\(own) AND outcome IN (\(good)) ORDER BY id DESC LIMIT 1", values).first?.record
        .last,
      steps: try records(
        "\(own) AND outcome <> '\(StepRecord.Outcome.unchanged.rawValue)' ORDER BY id DESC LIMIT \(steps)",
        values
      ).map(\.record), counts: try counts(of: series), missedRows: try missedRows(of: series))
  }

  private func counts(of series: SeedSeries) throws -> [StepRecord.Outcome: Int] {
    try connection.rows(
      "SELECT outcome, sum(count) FROM step_count WHERE dataset = ? AND major IN (0, ?) GROUP BY outcome",
      .text(series.dataset.text), SeedValue(series.major)
    ).reduce(into: [:]) { counts, row in
      if let outcome = StepRecord.Outcome(rawValue: row[0].text) { counts[outcome] = row[1].number }
    }
  }

  private func missedRows(of series: SeedSeries) throws -> Int {
    let sum = try connection.integer(
      "SELECT sum(missed_rows) FROM step_count WHERE dataset = ? AND major IN (0, ?)",
      .text(series.dataset.text), SeedValue(series.major))
    return Int(sum ?? 0)
  }

  func records(_ condition: String, _ values: [SeedValue]) throws -> [(id: Int64, record: StepRecord)] {
    let statement = try connection.prepare("SELECT \(Self.columns), id FROM build \(condition)")
    try statement.bind(values)
    var records: [(id: Int64, record: StepRecord)] = []
    while try statement.step() { records.append(try record(try statement.row())) }
    return records
  }

  private func record(_ row: [SeedValue]) throws -> (id: Int64, record: StepRecord) {
    guard let id = row[18].number, let outcome = StepRecord.Outcome(rawValue: row[6].text) else {
      throw NotASeed("a step with the outcome \"\(row[6])\"")
    }
    func time(_ column: Int) -> UTCTime { UTCTime(secondsSinceEpoch: row[column].number ?? 0) }
    let dataset = try DatasetName(row[4].text)
    var record = StepRecord(outcome, of: dataset, at: time(0), milliseconds: row[3].number ?? 0)
    record.last = time(1)
    record.times = row[2].number ?? 1
    record.series = try row[5].number.map { try SeedSeries(dataset, major: $0) }
    (record.from, record.to) = (row[7].number, row[8].number)
    (record.deltaBytes, record.snapshotBytes, record.rows) = (row[9].number, row[10].number, row[11].number)
    if let way = row[12].string.flatMap(FoundBy.Way.init(rawValue:)) {
      record.foundBy = FoundBy(
        way, row[13].string.flatMap(ComparisonWhy.init(rawValue:)), reason: row[14].string)
    }
    (record.missedRows, record.error) = (row[15].number ?? 0, row[17].string)
    record.reason = row[16].string.flatMap(StepRecord.Reason.init(rawValue:))
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

  fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  fileprivate var string: String? { if case .text(let text) = self { text } else { nil } }
}
