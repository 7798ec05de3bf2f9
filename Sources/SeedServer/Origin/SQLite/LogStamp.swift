import SeedFormat
import SeedSystem
import SeedTrust

/// An origin's write-ahead log from outside.
///
/// Its own time of change proves nothing: SQLite gives a log that root opens, be it only for reading, to the
/// database's owner, and that moves the time. Two publishers of one origin would see each other's looks as changes for
/// ever. So where only the file's facts differ, its bytes decide. Together with the database's own facts, which no
/// reader moves, equal bytes mean equal rows: a reader sees the database's pages with those of the log laid over
/// them, and which of these count is written in the log itself, in the salts of its header and the sums of its frames.
struct LogStamp: Sendable {
  /// `nil` where there is no log, or an empty one: SQLite makes one for a reader, too.
  private let file: FileStamp?
  /// `nil` for a log that is too long to be read at each look; then its facts decide alone.
  private let digest: String?

  /// Bytes of a log that is read: 16 times what SQLite lets it grow to unless it is told otherwise.
  private static let mostBytes = 64 * 1024 * 1024

  /// The log of that name. A log that looks as the `known` one did is not read again. The facts are taken before the
  /// bytes: what is written in between changes the facts that the next look finds.
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
      // It went after it was looked at, which the next look finds.
      return nil
    }
  }

  func hasSameContent(as other: LogStamp) -> Bool {
    file == other.file || (digest != nil && digest == other.digest)
  }

  /// Whether the last write is at least so many seconds old.
  func isOlder(than seconds: Int, at now: Int) -> Bool { now - (file?.modifiedSeconds ?? 0) >= seconds }

  /// Equal for equal content.
  var text: String { digest ?? file?.text ?? "" }
}
