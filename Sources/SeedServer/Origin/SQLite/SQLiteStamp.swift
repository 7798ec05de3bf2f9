import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A SQLite origin's files from outside, so that an unchanged origin need not be read. Taken before a read. Equal files
/// mean equal content only where the newest time in them was already old when they were looked at: a file system's clock
/// ticks in steps, and a second write within the step would not show (`isTrustworthy`).
struct SQLiteStamp: OriginStamp {
  private let path: String
  /// With its time of change, which no program can set: a writer that puts back the time of modification is seen, too.
  private let database: FileStamp
  private var log: LogStamp
  private let takenAt: Int

  /// Seconds after which a write would have moved the file's time.
  private static let settlingSeconds = 2
  /// Seconds after which a commit that is in the log is seen by readers: in between, a disk may sync it.
  private static let logSettlingSeconds = 60

  init(_ path: String, knowing known: LogStamp? = nil) throws {
    self.path = path
    takenAt = UTCTime.now().secondsSinceEpoch
    guard let database = try OriginError.stamp(path) else { throw OriginError.missing(path: path) }
    self.database = database
    // Where the path is a link, the log lies beside the file that it leads to.
    log = try LogStamp(SQLitePlace.resolved(path) + "-wal", known: known)
  }

  /// Whether equal files later on prove that nothing was written since, for as long as this process looks on.
  private var isTrustworthy: Bool { isOld(logSeconds: Self.settlingSeconds) }

  /// Whether they prove it for good.
  var isSettled: Bool { isOld(logSeconds: Self.logSettlingSeconds) }

  private func isOld(logSeconds: Int) -> Bool {
    takenAt - database.modifiedSeconds >= Self.settlingSeconds && log.isOlder(than: logSeconds, at: takenAt)
  }

  func renewed() -> (any OriginStamp)? {
    guard isTrustworthy, let now = try? SQLiteStamp(path, knowing: log), hasSameContent(as: now),
      OriginRest.lasts(from: takenAt, to: now.takenAt)
    else { return nil }
    var renewed = self
    renewed.log = now.log
    return renewed
  }

  private func hasSameContent(as other: SQLiteStamp) -> Bool {
    database == other.database && log.hasSameContent(as: other.log)
  }

  var text: String { "\(database.text)|\(log.text)" }
}
