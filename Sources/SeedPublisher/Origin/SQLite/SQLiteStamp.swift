import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The stamp of a SQLite origin's files, taken before a read. It proves equal content only if the newest timestamp was
/// old: a second write within one clock tick of the file system does not change it (`isTrustworthy`).
struct SQLiteStamp: OriginStamp {
  private let path: String
  /// Includes the status change time, which programs cannot set, so a reset modification time is detected.
  private let database: FileStamp
  private var log: LogStamp
  private let takenAt: Int

  /// After this time, another write changes the file's timestamp.
  private static let settlingSeconds = 2
  /// After this time, readers see every commit in the log; a sync may delay it.
  private static let logSettlingSeconds = 60

  init(_ path: String, knowing known: LogStamp? = nil) throws {
    self.path = path
    takenAt = UTCTime.now().secondsSinceEpoch
    guard let database = try OriginError.stamp(path) else { throw OriginError.missing(path: path) }
    self.database = database
    // SQLite creates the log beside the target of a link.
    log = try LogStamp(SQLitePlace.resolved(path) + "-wal", known: known)
  }

  /// Whether equal files prove that nothing was written, as long as this process keeps checking.
  private var isTrustworthy: Bool { isOld(logSeconds: Self.settlingSeconds) }

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
