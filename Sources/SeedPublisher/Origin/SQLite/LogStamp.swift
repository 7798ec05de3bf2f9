import SeedFormat
import SeedSystem
import SeedTrust

/// The stamp of an origin's write-ahead log.
///
/// The modification time alone proves nothing: when root opens a log, even to read, SQLite assigns it to the database's
/// owner, which changes the time, so two publishers would endlessly see each other's reads as changes. If times differ,
/// the content decides. With an unchanged database file, equal bytes mean equal rows, because the log's own salts and
/// checksums determine which of its pages readers overlay on the database's.
struct LogStamp: Sendable {
  /// `nil` for a missing or empty log. SQLite also creates one for readers.
  private let file: FileStamp?
  /// `nil` for a log too long to read at every check; then only its attributes count.
  private let digest: String?

  /// The longest log that is read: 16 times SQLite's default limit.
  private static let mostBytes = 64 * 1024 * 1024

  /// Reuses `known` if the log looks equal. Takes attributes before bytes, so the next stamp notices later writes.
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
      // The log was removed after the check. The next stamp notices it.
      return nil
    }
  }

  func hasSameContent(as other: LogStamp) -> Bool {
    file == other.file || (digest != nil && digest == other.digest)
  }

  func isOlder(than seconds: Int, at now: Int) -> Bool { now - (file?.modifiedSeconds ?? 0) >= seconds }

  var text: String { digest ?? file?.text ?? "" }
}
