import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// An origin's files from outside, so that an unchanged origin need not be read. Taken before a read. Equal files mean
/// equal content only where the newest time in them was already old when they were looked at: a file system's clock
/// ticks in steps, and a second write within the step would not show (``isTrustworthy``).
package struct OriginStamp: Hashable, Sendable {
  /// The database, where not all series are retired, and its write-ahead log.
  private var files: [FileStamp?] = []
  /// The log's salts: SQLite writes new ones when it starts the log again in the same file.
  private var logHeader: [UInt8] = []
  private let takenAt: Int

  /// Seconds after which a write would have moved the file's time.
  private static let settlingSeconds = 2
  /// Seconds after which a step runs though the origin looks the same: snapshots and signatures fall due.
  private static let restSeconds = 60
  private static let logHeaderBytes = 32

  init(of job: DatasetJob) throws {
    takenAt = UTCTime.now().secondsSinceEpoch
    guard !job.isRetired else { return }
    let (path, log) = (job.originPath, job.originPath + "-wal")
    guard let database = try FileStamp(path) else { throw OriginError.missing(path: path) }
    files = [database, try FileStamp(log)]
    logHeader = try DurableFile.start(of: log, Self.logHeaderBytes) ?? []
  }

  /// Whether equal files later on prove that nothing was written since.
  var isTrustworthy: Bool {
    files.allSatisfy { takenAt - ($0?.modifiedSeconds ?? 0) >= Self.settlingSeconds }
  }

  /// Whether a step can wait: the one that took this stamp saw all that was written, and not long ago.
  package func isCurrent(of job: DatasetJob) -> Bool {
    guard isTrustworthy, let now = try? OriginStamp(of: job) else { return false }
    // A clock that was set back must not make it wait until then.
    return now.files == files && now.logHeader == logHeader
      && (0..<Self.restSeconds).contains(now.takenAt - takenAt)
  }

  var text: String {
    files.isEmpty ? "" : (files.map { $0?.text ?? "" } + ["\(logHeader)"]).joined(separator: "|")
  }
}
