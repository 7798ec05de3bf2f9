import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSystem
import SeedTrust

/// The outcomes of steps, in a SQLite file that people can read. A damaged history is set aside and never stops a step.
/// Consecutive steps with the same outcome share a row, so a quiet month does not displace older records.
package struct StepHistory: Sendable {
  private let stateFolder: String
  private let report: @Sendable (LogRecord) -> Void

  /// A quiet series keeps two older records in addition; see ``StepTable/drop(allBut:)``.
  package static let mostRecords = 2000
  private static let layout: Int64 = 6

  package init(_ stateFolder: String, report: @escaping @Sendable (LogRecord) -> Void = { _ in }) {
    (self.stateFolder, self.report) = (stateFolder, report)
  }

  package var path: String { "\(stateFolder)/history.sqlite" }

  /// Returns the newest records, newest first. Empty if there is no history.
  package func newest(_ count: Int, of dataset: DatasetName? = nil) throws -> [StepRecord] {
    try records(
      "WHERE dataset = ifnull(?, dataset) ORDER BY id DESC LIMIT \(count)",
      [dataset.map { .text($0.text) } ?? .null])
  }

  /// Returns the newest record of a series, or of its dataset if a later step failed before it reached a series.
  package func latest(of series: SeedSeries) throws -> StepRecord? {
    try records(
      "WHERE dataset = ? AND (major = ? OR major IS NULL) ORDER BY id DESC LIMIT 1",
      [.text(series.dataset.text), .integer(Int64(series.major))]
    ).first
  }

  private func records(_ condition: String, _ values: [SeedValue]) throws -> [StepRecord] {
    try reading { try $0.records(condition, values).map(\.record) } ?? []
  }

  /// Fills in the facts from a series' history. Includes steps of its dataset that failed before they reached a series.
  func fill(_ facts: inout SeriesFacts, steps: Int) throws {
    _ = try reading { table in try table.fill(&facts, steps: steps) }
  }

  private func reading<Result>(_ read: (StepTable) throws -> Result) throws -> Result? {
    guard Folder.exists(path) else { return nil }
    return try read(StepTable(connection: Connection(path, .reader)))
  }

  /// Records steps. Returns whether all of them repeat the previous outcome. Write errors are only logged.
  @discardableResult
  package func record(_ records: [StepRecord]) -> Bool {
    do {
      do {
        return try write(records)
      } catch let error where Self.isDamage(error) {
        try setAside("\(error)")
        return try write(records)
      }
    } catch { report(LogRecord(.warning, "The history of steps could not be written: \(error.cause)")) }
    return false
  }

  private func write(_ records: [StepRecord]) throws -> Bool {
    try Folder.createPrivate(stateFolder)
    let connection = try Connection(path, .creator)
    // A publisher that checks every two seconds must not sync so often. A power failure costs only history.
    if records.allSatisfy({ $0.outcome == .unchanged }) { try connection.execute("PRAGMA synchronous = OFF") }
    return try connection.transaction {
      let table = StepTable(connection: connection)
      if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try table.create(layout: Self.layout)
      }
      let layout = try connection.integer("PRAGMA user_version") ?? 0
      guard layout == Self.layout else { throw OtherLayout(found: layout) }
      let isRepeated = try table.append(records)
      try table.drop(allBut: Self.mostRecords)
      return isRepeated
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

  /// Whether the error means that the file is damaged, as opposed to a disk, lock or permission problem.
  private static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return error is OtherLayout }
    // SQLITE_ERROR, 1, is the code for missing tables or columns.
    return error.saysDamage || [ResultCode.constraint, 1].contains(error.primaryCode)
  }
}

private struct OtherLayout: Error, CustomStringConvertible {
  let found: Int64

  var description: String { "it has the layout \(found)" }
}
