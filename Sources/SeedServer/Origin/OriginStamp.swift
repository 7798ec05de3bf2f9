import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// An origin's files from outside, so that an unchanged origin need not be read. Taken before a read.
///
/// Equal files mean equal content only where the newest time in them was already old when they were looked at: a file
/// system's clock ticks in steps, and a second write within the step would not show (``isTrustworthy``).
package struct OriginStamp: Hashable, Sendable {
  private struct Files: Hashable, Sendable {
    let database: FileStamp
    let log: FileStamp?
    /// The log's salts: SQLite writes new ones when it starts the log again in the same file.
    let logHeader: [UInt8]
  }

  /// `nil` where all series are retired: then the origin does not matter.
  private let files: Files?
  private let takenAt: Int

  /// Seconds after which a write would have moved the file's time.
  private static let settlingSeconds = 2
  /// Seconds after which a step runs though the origin looks the same: snapshots and signatures fall due.
  private static let restSeconds = 60
  /// Bytes of a WAL's header.
  private static let logHeaderBytes = 32

  /// Looks at the file and the write-ahead log beside it.
  init(of job: DatasetJob) throws {
    takenAt = UTCTime.now().secondsSinceEpoch
    guard !job.isRetired else {
      files = nil
      return
    }
    let (path, log) = (job.originPath, job.originPath + "-wal")
    guard let database = try FileStamp(path) else { throw OriginError.missing(path: path) }
    files = Files(
      database: database, log: try FileStamp(log),
      logHeader: try DurableFile.start(of: log, Self.logHeaderBytes) ?? [])
  }

  /// Whether equal files later on prove that nothing was written since.
  var isTrustworthy: Bool {
    guard let files else { return true }
    return takenAt - max(files.database.modifiedSeconds, files.log?.modifiedSeconds ?? 0)
      >= Self.settlingSeconds
  }

  /// Whether a step can wait: the one that took this stamp saw all that was written, and not long ago.
  package func isCurrent(of job: DatasetJob) -> Bool {
    guard isTrustworthy, let now = try? OriginStamp(of: job) else { return false }
    // A clock that was set back must not make it wait until then.
    return now.files == files && (0..<Self.restSeconds).contains(now.takenAt - takenAt)
  }

  /// The files as text, for a stamp that outlives its process.
  var text: String {
    guard let files else { return "" }
    return [files.database.text, files.log?.text ?? "", "\(files.logHeader)"].joined(separator: "|")
  }
}
