import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// An origin's files from outside, so that an unchanged origin need not be read. Taken before a read. Equal files mean
/// equal content only where the newest time in them was already old when they were looked at: a file system's clock
/// ticks in steps, and a second write within the step would not show (`isTrustworthy`).
package struct OriginStamp: Sendable {
  /// With its time of change, which no program can set: a writer that puts back the time of modification is seen, too.
  /// `nil` where all series are retired.
  private var database: FileStamp?
  private var log: LogStamp?
  private let takenAt: Int

  /// Seconds after which a write would have moved the file's time.
  private static let settlingSeconds = 2
  /// Seconds after which a commit that is in the log is seen by readers: in between, a disk may sync it.
  private static let logSettlingSeconds = 60
  /// Seconds after which a step runs though the origin looks the same: snapshots and signatures fall due.
  private static let restSeconds = 60

  init(of job: DatasetJob) throws { try self.init(of: job, knowing: nil) }

  private init(of job: DatasetJob, knowing known: LogStamp?) throws {
    takenAt = UTCTime.now().secondsSinceEpoch
    guard !job.isRetired else { return }
    guard let database = try OriginError.stamp(job.originPath) else {
      throw OriginError.missing(path: job.originPath)
    }
    self.database = database
    // Where the path is a link, the log lies beside the file that it leads to.
    log = try LogStamp(Self.resolved(job.originPath) + "-wal", known: known)
  }

  /// The path without links, as SQLite takes it to find the files beside a database; the path itself where nothing is.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Whether equal files later on prove that nothing was written since, for as long as this process looks on.
  private var isTrustworthy: Bool { isOld(logSeconds: Self.settlingSeconds) }

  /// Whether they prove it for good.
  var isSettled: Bool { isOld(logSeconds: Self.logSettlingSeconds) }

  private func isOld(logSeconds: Int) -> Bool {
    takenAt - (database?.modifiedSeconds ?? 0) >= Self.settlingSeconds
      && log?.isOlder(than: logSeconds, at: takenAt) ?? true
  }

  /// This stamp as it looks now, where a step can wait: the one that took it saw all that was written, and not long ago.
  package func renewed(of job: DatasetJob) -> OriginStamp? {
    guard isTrustworthy, let now = try? OriginStamp(of: job, knowing: log), hasSameContent(as: now),
      // A clock that was set back must not make it wait until then.
      (0..<Self.restSeconds).contains(now.takenAt - takenAt)
    else { return nil }
    var renewed = self
    renewed.log = now.log
    return renewed
  }

  private func hasSameContent(as other: OriginStamp) -> Bool {
    guard let log, let others = other.log else { return log == nil && other.log == nil }
    return database == other.database && log.hasSameContent(as: others)
  }

  /// Equal for equal content.
  var text: String { database.map { "\($0.text)|\(log?.text ?? "")" } ?? "" }
}
