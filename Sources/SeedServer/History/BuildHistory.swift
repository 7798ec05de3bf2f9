import SeedDatabase
package import SeedFormat
import SeedSystem
import SeedTrust

/// What publish steps did, in a small SQLite file beside the working copies.
///
/// It is for people. A history that is missing or damaged never stops a publish: it is set aside and begun
/// anew. Steps that come out the same are counted in one row, so that a quiet month leaves room for the rest.
package struct BuildHistory: Sendable {
  private let stateFolder: String
  /// Told what happened to the history itself.
  private let report: @Sendable (LogRecord) -> Void

  /// Rows that are kept; the oldest go first.
  package static let maximumBuilds = 2000
  /// The layout of the tables, as `user_version` says it.
  private static let layout: Int64 = 1

  /// The history of the publisher that keeps its files there.
  package init(_ stateFolder: String, report: @escaping @Sendable (LogRecord) -> Void = { _ in }) {
    self.stateFolder = stateFolder
    self.report = report
  }

  /// The file.
  package var path: String { "\(stateFolder)/history.sqlite" }

  /// The newest builds, the newest first; none where there is no history yet.
  package func newest(_ count: Int, of dataset: DatasetName? = nil) throws -> [Build] {
    guard Folder.exists(path) else { return [] }
    return try BuildTable(Connection(path, .reader)).newest(count, of: dataset)
  }

  /// The newest build of a series, or of its dataset where that is newer and ended before any series.
  package func latest(of series: Series) throws -> Build? {
    guard Folder.exists(path) else { return nil }
    return try BuildTable(Connection(path, .reader)).latest(of: series)
  }

  /// Notes builds. Whatever goes wrong is reported and no more.
  package func record(_ builds: [Build]) {
    do {
      do {
        try write(builds)
      } catch let error where Self.isDamage(error) {
        try setAside("\(error)")
        try write(builds)
      }
    } catch {
      report(LogRecord(.warning, "The history of builds could not be written: \(error)"))
    }
  }

  private func write(_ builds: [Build]) throws {
    try Folder.create(stateFolder)
    let connection = try Connection(path, .creator)
    // A publisher that looks every two seconds shall not sync the disk as often: a power loss may cost the history
    // then, and no more.
    if builds.allSatisfy({ $0.outcome == .unchanged }) { try connection.execute("PRAGMA synchronous = OFF") }
    try connection.transaction {
      if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try BuildTable.create(connection, layout: Self.layout)
      }
      let layout = try connection.integer("PRAGMA user_version") ?? 0
      guard layout == Self.layout else { throw OtherLayout(found: layout) }
      let table = BuildTable(connection)
      for build in builds { try table.append(build) }
      try table.drop(allBut: Self.maximumBuilds)
    }
  }

  private func setAside(_ reason: String) throws {
    for suffix in ["-journal", "-wal", "-shm"] { try Folder.remove(path + suffix) }
    try Folder.rename(path, to: path + ".damaged")
    report(
      LogRecord(
        .warning, "The history of builds was damaged and is begun anew: \(reason)",
        [JSONMember("setAside", .string(path + ".damaged"))]))
  }

  /// Whether the file is to blame, and not the disk, a lock or a permission.
  private static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return error is OtherLayout }
    return damages.contains(error.primaryCode)
  }

  /// SQLITE_ERROR stands for tables or columns that are not what they should be.
  private static let damages: Set<Int32> = [
    ResultCode.corrupt, ResultCode.notADatabase, ResultCode.constraint, 1,
  ]
}

/// A database whose tables are not those of this history.
struct OtherLayout: Error, CustomStringConvertible {
  let found: Int64

  var description: String { "it has the layout \(found)" }
}
