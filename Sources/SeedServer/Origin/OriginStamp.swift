import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// What a SQLite file looks like from outside, so that an unchanged origin need not be read.
///
/// Taken before a read. Equal stamps mean equal content only where the newest time in them was already old
/// when they were taken: a file system's clock ticks in steps, and a second write within the step would not
/// show (``isTrustworthy``).
package struct OriginStamp: Hashable, Sendable {
  private let database: FileStamp
  private let log: FileStamp?
  /// The log's salts: SQLite writes new ones when it starts the log again in the same file.
  private let logHeader: [UInt8]
  private let takenAt: Int

  /// Seconds after which a write would have moved the file's time.
  private static let settlingSeconds = 2
  /// Bytes of a WAL's header.
  private static let logHeaderBytes = 32

  /// Stamps the file and the write-ahead log beside it.
  package init(_ path: String, now: UTCTime) throws {
    guard let database = try FileStamp(path) else { throw OriginError.missing(path: path) }
    self.database = database
    log = try FileStamp(path + "-wal")
    logHeader = try DurableFile.start(of: path + "-wal", Self.logHeaderBytes) ?? []
    takenAt = now.secondsSinceEpoch
  }

  /// Whether an equal stamp later on proves that nothing was written since this one was taken.
  package var isTrustworthy: Bool {
    takenAt - max(database.modifiedSeconds, log?.modifiedSeconds ?? 0) >= Self.settlingSeconds
  }

  /// All of it but the time when it was taken, for a stamp that outlives its process.
  package var text: String {
    let header = Base64.encode(logHeader)
    return [database.text, log?.text ?? "", header].joined(separator: "|")
  }

  /// Equal where the files are; when the stamps were taken does not count.
  package static func == (left: Self, right: Self) -> Bool {
    left.database == right.database && left.log == right.log && left.logHeader == right.logHeader
  }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(database)
    hasher.combine(log)
    hasher.combine(logHeader)
  }
}
