import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem

/// The history's tables. They store each record as JSON, beside the columns that queries use.
struct StepTable {
  let connection: Connection

  func create(layout: Int64) throws {
    try connection.execute(
      """
      CREATE TABLE step(id INTEGER PRIMARY KEY, dataset TEXT NOT NULL, major INTEGER, outcome TEXT NOT NULL,
        last INTEGER NOT NULL, record TEXT NOT NULL);
      CREATE INDEX step_series ON step(dataset, major);
      CREATE TABLE step_count(dataset TEXT NOT NULL, major INTEGER NOT NULL, outcome TEXT NOT NULL,
        count INTEGER NOT NULL, missed_rows INTEGER NOT NULL, PRIMARY KEY(dataset, major, outcome)) WITHOUT ROWID;
      PRAGMA user_version = \(layout);
      """)
  }

  /// Stores the records of a step, each merged with the latest one if they are equal. Returns false if any is news.
  func append(_ records: [StepRecord]) throws -> Bool {
    let isOfSameKind = try records.last.map(endsLikeNewest) ?? true
    return try records.filter { try !append($0) }.isEmpty && isOfSameKind
  }

  private func append(_ record: StepRecord) throws -> Bool {
    try count(record)
    if try repeatsLatest(record) { return true }
    try insert(record)
    return false
  }

  /// After a failure of the whole dataset, a series that repeats its own older record is still news.
  private func endsLikeNewest(_ record: StepRecord) throws -> Bool {
    let isWithoutSeries = try connection.integer(
      "SELECT major IS NULL FROM step WHERE dataset = ? ORDER BY id DESC LIMIT 1", .text(record.dataset.text))
    return (isWithoutSeries == 1) == (record.series == nil)
  }

  /// A step that reached no series counts under major 0. Records are deleted eventually, but the counts never decrease.
  private func count(_ record: StepRecord) throws {
    try connection.execute(
      """
      INSERT INTO step_count VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count,
        missed_rows = missed_rows + excluded.missed_rows
      """, .text(record.dataset.text), SeedValue(record.series?.major ?? 0), .text(record.outcome.rawValue),
      SeedValue(record.times), SeedValue(record.missedRows))
  }

  private func repeatsLatest(_ record: StepRecord) throws -> Bool {
    guard record.outcome != .published, record.outcome != .rolledBack,
      let (id, latest) = try records(
        "WHERE dataset = ? AND major IS ? ORDER BY id DESC LIMIT 1",
        [.text(record.dataset.text), SeedValue(record.series?.major)]
      ).first, latest.outcome == record.outcome, latest.to == record.to,
      latest.error?.failureKey == record.error?.failureKey, latest.foundBy == record.foundBy,
      try !isInterrupted(id, latest, record)
    else { return false }
    var repeated = latest
    (repeated.last, repeated.milliseconds, repeated.error) = (record.last, record.milliseconds, record.error)
    repeated.times += record.times
    // Inserted again for a new id. Records are ordered by id, because the clock may be set back.
    try insert(repeated)
    try connection.execute("DELETE FROM step WHERE id = ?", .integer(id))
    return true
  }

  /// Whether the dataset had another outcome in between. Other series' records of the same steps do not count.
  private func isInterrupted(_ id: Int64, _ latest: StepRecord, _ record: StepRecord) throws -> Bool {
    let major = SeedValue(record.series?.major)
    return try connection.integer(
      """
      SELECT count(*) FROM step WHERE dataset = ? AND id > ? AND last NOT IN (?, ?)
        AND (major IS NULL OR ? IS NULL OR major = ?)
      """, .text(record.dataset.text), .integer(id), SeedValue(latest.last.secondsSinceEpoch),
      SeedValue(record.last.secondsSinceEpoch), major, major) != 0
  }

  private func insert(_ record: StepRecord) throws {
    try connection.execute(
      "INSERT INTO step(dataset, major, outcome, last, record) VALUES (?, ?, ?, ?, ?)",
      .text(record.dataset.text), SeedValue(record.series?.major), .text(record.outcome.rawValue),
      SeedValue(record.last.secondsSinceEpoch), .text(record.historyJSON.text))
  }

  /// Also keeps each series' newest record and newest good one, so that busy datasets do not displace quiet ones.
  func drop(allBut count: Int) throws {
    try connection.execute(
      """
      DELETE FROM step WHERE id <= (SELECT id FROM step ORDER BY id DESC LIMIT 1 OFFSET \(count)) AND EXISTS (
        SELECT 1 FROM step later WHERE later.dataset = step.dataset AND later.major IS step.major
          AND later.id > step.id AND (later.outcome IN (\(Self.good)) OR step.outcome NOT IN (\(Self.good))))
      """)
  }

  private static let good = StepRecord.Outcome.allCases.filter(\.isGoodLook).map { "'\($0.rawValue)'" }
    .joined(separator: ", ")

  /// Fills in the newest steps other than `unchanged`, and the counts of all steps since the history began.
  func fill(_ facts: inout SeriesFacts, steps: Int) throws {
    let series = facts.series
    let own = "WHERE dataset = ? AND (major = ? OR major IS NULL)"
    let values: [SeedValue] = [.text(series.dataset.text), SeedValue(series.major)]
    let newest = try records("\(own) ORDER BY id DESC LIMIT 1", values).first?.record
    facts.look.good = try records("\(own) AND outcome IN (\(Self.good)) ORDER BY id DESC LIMIT 1", values)
      .first?.record.last
    (facts.look.newest, facts.look.newestAt) = (newest?.outcome, newest?.last)
    (facts.look.reason, facts.look.foundBy) = (newest?.reason, newest?.foundBy)
    facts.steps = try records(
      "\(own) AND outcome <> '\(StepRecord.Outcome.unchanged.rawValue)' ORDER BY id DESC LIMIT \(steps)",
      values
    ).map(\.record)
    try fillCounts(&facts, values)
  }

  private func fillCounts(_ facts: inout SeriesFacts, _ values: [SeedValue]) throws {
    (facts.counts, facts.missedRows) = ([:], 0)
    let sums = try connection.rows(
      """
      SELECT outcome, sum(count), sum(missed_rows) FROM step_count WHERE dataset = ? AND major IN (0, ?)
        GROUP BY outcome
      """, values[0], values[1])
    for sum in sums {
      if let outcome = StepRecord.Outcome(rawValue: sum[0].text) { facts.counts[outcome] = sum[1].number }
      facts.missedRows += sum[2].number ?? 0
    }
  }

  func records(_ condition: String, _ values: [SeedValue]) throws -> [(id: Int64, record: StepRecord)] {
    let statement = try connection.prepare("SELECT id, record FROM step \(condition)")
    try statement.bind(values)
    var records: [(id: Int64, record: StepRecord)] = []
    while try statement.step() {
      let row = try statement.row()
      let json = try JSONValue(parsing: Array(row[1].text.utf8))
      records.append((Int64(row[0].number ?? 0), try StepRecord(reading: json)))
    }
    return records
  }
}

extension SeedValue {
  fileprivate init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}
