import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

package struct SQLitePlace: OriginPlace {
  package let path: String

  package init(_ path: String) { self.path = path }

  package var text: String { path }
  package var watchedFile: String? { path }

  package func look() throws -> OriginLook {
    (try SQLiteStamp(path), { try SQLiteOrigin(path, waitSeconds: $0) })
  }

  package func open(waitSeconds: Int) throws -> any Origin {
    try SQLiteOrigin(path, waitSeconds: waitSeconds)
  }
}

/// The stamp of a SQLite origin's files, taken before a read. An equal stamp proves equal content only if the newest
/// timestamp was old: a second write within one clock tick of the file system does not change the timestamp.
struct SQLiteStamp: OriginStamp {
  private let path: String
  /// Includes the status change time, which programs cannot set, so a reset modification time is detected.
  private let database: FileStamp
  private var log: LogStamp
  private let takenAt: Int

  /// If the file was last written longer ago than this, a further write changes its timestamp.
  private static let settlingSeconds = 2
  /// If the log was last written longer ago than this, readers see all commits in it. A newer commit may be in the log
  /// but still invisible, because its writer waits for a sync.
  private static let logSettlingSeconds = 60

  init(_ path: String, knowing known: LogStamp? = nil) throws {
    self.path = path
    takenAt = UTCTime.now().secondsSinceEpoch
    guard let database = try OriginError.stamp(path) else { throw OriginError.missing(path: path) }
    self.database = database
    // SQLite creates the log beside the target of a link.
    log = try LogStamp((PhysicalPath.existing(path) ?? path) + "-wal", known: known)
  }

  var isSettled: Bool { isOld(logSeconds: Self.logSettlingSeconds) }

  private func isOld(logSeconds: Int) -> Bool {
    takenAt - database.modifiedSeconds >= Self.settlingSeconds && log.isOlder(than: logSeconds, at: takenAt)
  }

  func renewed() -> (any OriginStamp)? {
    guard isOld(logSeconds: Self.settlingSeconds), let now = try? SQLiteStamp(path, knowing: log),
      database == now.database, log.hasSameContent(as: now.log),
      OriginRest.lasts(from: takenAt, to: now.takenAt)
    else { return nil }
    var renewed = self
    renewed.log = now.log
    return renewed
  }

  var text: String { "\(database.text)|\(log.text)" }
}

/// The stamp of an origin's write-ahead log.
///
/// Timestamps alone prove nothing. When root opens a log, even to read, SQLite sets the log's owner to the
/// database's, which changes a timestamp. Two publishers would endlessly take each other's reads for changes.
/// So if timestamps differ, the content decides. If the database file is unchanged, equal bytes mean equal
/// rows, because the log's salts and checksums determine which of its pages replace the database's.
struct LogStamp: Sendable {
  /// `nil` for a missing or empty log. SQLite also creates an empty log when a database is only read.
  private let file: FileStamp?
  /// The log's digest; `nil` if the log is too long to read at every check. Then only its attributes count.
  private let digest: String?

  /// The size of the longest log that is read: 16 times SQLite's default limit.
  private static let mostBytes = 64 * 1024 * 1024

  /// Reads attributes first, so the next stamp detects later writes. If they are unchanged, reuses the digest.
  init(_ path: String, known: LogStamp? = nil) throws {
    let found = try FileStamp(path)
    let file = found.flatMap { $0.size > 0 ? $0 : nil }
    self.file = file
    digest = try file == known?.file ? known?.digest : file.flatMap { try Self.digest(path, $0.size) }
  }

  private static func digest(_ path: String, _ size: Int) throws(FileError) -> String? {
    guard size <= mostBytes else { return nil }
    do throws(FileError) {
      return try SHA256Digest.ofFile(at: path).digest.hex
    } catch  where error.isMissing {
      // The log was removed after the check. The next stamp detects this.
      return nil
    }
  }

  func hasSameContent(as other: LogStamp) -> Bool {
    file == other.file || (digest != nil && digest == other.digest)
  }

  func isOlder(than seconds: Int, at now: Int) -> Bool { now - (file?.modifiedSeconds ?? 0) >= seconds }

  var text: String { digest ?? file?.text ?? "" }
}

/// Paths without symbolic links, in which `..` is safe. Behind a link, `..` leads out of the link's target.
package enum PhysicalPath {
  /// Returns the folder's real path. Keeps missing parts as written.
  package static func folder(_ path: String) -> String {
    if let real = existing(path) { return real }
    return path == "/" ? path : file(path)
  }

  /// Returns the folder's real path with the file's own name, which may be a link that the operator redirects later.
  package static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// Returns the path of `file` through `folder`, with as many `..` as needed, such as `/a/b/../c.sqlite`. Returns
  /// `file` if the two share only the root. Configuration files contain the part after the folder.
  package static func joining(_ file: String, through folder: String) -> String {
    let (from, to) = (folder.split(separator: "/"), file.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    guard shared > 0, shared < from.count else { return file }
    let steps = repeatElement("..", count: from.count - shared).map { Substring($0) }
    return "\(folder)/\((steps + to[shared...]).joined(separator: "/"))"
  }

  package static func existing(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
