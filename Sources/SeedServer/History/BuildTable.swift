import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The two tables of the history, and how a build stands in them.
struct BuildTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  static func create(_ connection: Connection, layout: Int64) throws {
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

  // MARK: Writing

  /// Adds a build, or counts it with the one before it where both say the same.
  func append(_ build: Build) throws {
    if try !repeatsLatest(build) { try insert(build) }
  }

  private func repeatsLatest(_ build: Build) throws -> Bool {
    guard build.outcome != .published, build.outcome != .rolledBack,
      let (id, latest) = try latest(build.dataset, major: build.series?.major),
      latest.outcome == build.outcome, latest.error == build.error, latest.to == build.to
    else { return false }
    // Identifiers tell what came when: a clock may be set back.
    let next = try connection.integer("SELECT max(id) + 1 FROM build") ?? 1
    try connection.execute("UPDATE build_table SET build = ? WHERE build = ?", .integer(next), .integer(id))
    try connection.execute(
      "UPDATE build SET id = ?, last = ?, times = times + 1, milliseconds = ? WHERE id = ?", .integer(next),
      .integer(Int64(build.at.secondsSinceEpoch)), .integer(Int64(build.milliseconds)), .integer(id))
    return true
  }

  private func insert(_ build: Build) throws {
    try connection.cached(
      """
      INSERT INTO build(at, last, times, milliseconds, dataset, major, outcome, head_before, head_after, delta_bytes,
        snapshot_bytes, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run([
      .integer(Int64(build.at.secondsSinceEpoch)), .integer(Int64(build.last.secondsSinceEpoch)),
      .integer(Int64(build.times)), .integer(Int64(build.milliseconds)), .text(build.dataset.text),
      number(build.series?.major), .text(build.outcome.rawValue), number(build.from), number(build.to),
      number(build.deltaBytes), number(build.snapshotBytes), build.error.map { .text($0) } ?? .null,
    ])
    for (name, changes) in build.changes {
      try connection.execute(
        "INSERT INTO build_table SELECT max(id), ?, ?, ?, ? FROM build", .text(name),
        .integer(Int64(changes.inserted)), .integer(Int64(changes.updated)), .integer(Int64(changes.deleted)))
    }
  }

  /// Drops the oldest builds.
  func drop(allBut count: Int) throws {
    try connection.execute(
      "DELETE FROM build WHERE id <= (SELECT id FROM build ORDER BY id DESC LIMIT 1 OFFSET \(count))")
    try connection.execute("DELETE FROM build_table WHERE build < (SELECT min(id) FROM build)")
  }

  private func number(_ value: Int?) -> SeedValue { value.map { .integer(Int64($0)) } ?? .null }

  // MARK: Reading

  /// The newest builds, the newest first.
  func newest(_ count: Int, of dataset: DatasetName?) throws -> [Build] {
    let name: SeedValue = dataset.map { .text($0.text) } ?? .null
    return try builds(
      "WHERE dataset = ifnull(?, dataset) ORDER BY id DESC LIMIT \(count)", [name]
    ).map(\.build)
  }

  func latest(of series: Series) throws -> Build? {
    try builds(
      "WHERE dataset = ? AND (major = ? OR major IS NULL) ORDER BY id DESC LIMIT 1",
      [.text(series.dataset.text), .integer(Int64(series.major))]
    ).first?.build
  }

  private func latest(_ dataset: DatasetName, major: Int?) throws -> (id: Int64, build: Build)? {
    try builds(
      "WHERE dataset = ? AND major IS ? ORDER BY id DESC LIMIT 1", [.text(dataset.text), number(major)]
    ).first
  }

  private func builds(_ condition: String, _ values: [SeedValue]) throws -> [(id: Int64, build: Build)] {
    let statement = try connection.prepare(
      """
      SELECT id, at, last, times, milliseconds, dataset, major, outcome, head_before, head_after, delta_bytes,
        snapshot_bytes, error FROM build \(condition)
      """)
    try statement.bind(values)
    var builds: [(id: Int64, build: Build)] = []
    while try statement.step() { builds.append(try build(try statement.row())) }
    return builds
  }

  private func build(_ row: [SeedValue]) throws -> (id: Int64, build: Build) {
    guard let id = row[0].number, let outcome = Build.Outcome(rawValue: row[7].text) else {
      throw NotASeed("a build of the outcome \"\(row[7])\"")
    }
    func time(_ column: Int) -> UTCTime { UTCTime(secondsSinceEpoch: row[column].number ?? 0) }
    let dataset = try DatasetName(row[5].text)
    var build = Build(outcome, of: dataset, at: time(1), milliseconds: row[4].number ?? 0)
    build.last = time(2)
    build.times = row[3].number ?? 1
    build.series = try row[6].number.map { try Series(dataset, major: $0) }
    (build.from, build.to) = (row[8].number, row[9].number)
    (build.deltaBytes, build.snapshotBytes) = (row[10].number, row[11].number)
    if case .text(let error) = row[12] { build.error = error }
    build.changes = try changes(of: Int64(id))
    return (Int64(id), build)
  }

  private func changes(of build: Int64) throws -> ChangeReport {
    let rows = try connection.rows(
      "SELECT name, inserted, updated, deleted FROM build_table WHERE build = ?", .integer(build))
    var report: ChangeReport = [:]
    for row in rows {
      var changes = TableChanges()
      changes.inserted = row[1].number ?? 0
      changes.updated = row[2].number ?? 0
      changes.deleted = row[3].number ?? 0
      report[row[0].text] = changes
    }
    return report
  }
}

extension SeedValue {
  fileprivate var number: Int? {
    if case .integer(let value) = self { Int(exactly: value) } else { nil }
  }
}
