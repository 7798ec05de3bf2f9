package import SeedDatabase
import SeedSystem

/// An error in reading any kind of origin. If neither `isUnavailable` nor `isConfiguration` is true, rows are wrong.
package protocol OriginFailure: Error, CustomStringConvertible {
  /// Whether a retry may succeed without a repair.
  var isUnavailable: Bool { get }
  /// Whether a setting, a permission or a model's SELECT is wrong, and not the rows.
  var isConfiguration: Bool { get }
  /// Whether an immediate retry in the same step may help.
  var isMomentary: Bool { get }
}

extension OriginFailure {
  package var isMomentary: Bool { false }
}

package enum OriginError: OriginFailure {
  case missing(path: String)
  case unreadable(path: String, reason: DatabaseError)
  case damaged(path: String, reason: DatabaseError)
  case empty(path: String)
  case columns(table: String, source: Projection, missing: [String], surplus: [String])
  case invalidText(table: String, column: String, key: String)
  case unfit(table: String, column: String, key: String, reason: String)
  case nullInKey(table: String, column: String)
  case duplicateKey(table: String, key: String)
  case locked(path: String, seconds: Int)
  case noScratch(path: String)
  case notLoaded(path: String)
  case tooLong(path: String, limit: Int)
  case unavailable(String)
  case configuration(String)
  case data(String)

  /// Classifies a read error. Only damage is permanent.
  package static func reading(_ path: String, _ reason: DatabaseError) -> OriginError {
    if reason.saysDamage { return .damaged(path: path, reason: reason) }
    if reason.saysFull { return .noScratch(path: path) }
    if reason.saysUnfinished {
      return .unavailable(
        "the origin \(path) has an unfinished change, because a program was ended while it wrote. SQLite undoes the change "
          + "from \(path)-journal when you open the file once with a program that may write, such as "
          + "'sqlite3 \(path) .tables'; Seedbank never writes to an origin")
    }
    guard reason.saysNoLogIndex, usesLog(path) else { return .unreadable(path: path, reason: reason) }
    return .unavailable(
      "the origin \(path) is in WAL mode, so SQLite needs a shared file, \(path)-shm, which this user cannot "
        + "create or write: give the user write access to that folder, or take the origin out of WAL mode with "
        + "'sqlite3 \(path) \"PRAGMA journal_mode = DELETE\"', or publish from a copy made by 'sqlite3 \(path) \".backup COPY\"'"
    )
  }

  /// Classifies an error in reading rows. The origin is open, so an error about opening or writing is a scratch file's.
  static func sorting(_ path: String, _ reason: DatabaseError) -> OriginError {
    reason.saysFull || reason.saysNotOpened ? .noScratch(path: path) : reading(path, reason)
  }

  /// The offset of the "file format write version" in SQLite's database header, and its value in WAL mode.
  private static let logMark = (place: 18, value: UInt8(2))

  private static func usesLog(_ path: String) -> Bool {
    let header = (try? DurableFile.start(of: path, logMark.place + 1)) ?? nil
    return header?.last == logMark.value && header?.count == logMark.place + 1
  }

  /// Call this before SQLite opens the path, because SQLite would block on a pipe.
  package static func checkIsFile(_ path: String) throws(OriginError) {
    guard let stamp = try stamp(path) else { throw .missing(path: path) }
    guard stamp.isRegular else {
      throw .data("the origin \(path) is not a regular file: give the path of a SQLite file")
    }
  }

  /// Returns `nil` if the file is missing.
  static func stamp(_ path: String) throws(OriginError) -> FileStamp? {
    do throws(FileError) {
      return try FileStamp(path)
    } catch {
      throw .unreadable(
        path: path, reason: DatabaseError(code: ResultCode.cannotOpen, message: error.reason, subject: path))
    }
  }

  package var isUnavailable: Bool {
    switch self {
    case .missing, .empty, .unreadable, .locked, .noScratch, .notLoaded, .unavailable: true
    default: false
    }
  }

  package var isConfiguration: Bool {
    switch self {
    case .configuration: true
    case .columns(_, let source, _, _): source.sql != nil
    default: false
    }
  }

  /// The rule that a row violates. Does not name the row, so that violations can be counted by rule.
  var rowRule: String? {
    switch self {
    case .invalidText(_, let column, _):
      "the column \"\(column)\" holds text that is not valid UTF-8, which JSON cannot carry"
    case .unfit(_, let column, _, let reason): "the column \"\(column)\" holds \(reason)"
    case .nullInKey(_, let column): "NULL in the key column \"\(column)\""
    default: nil
    }
  }

  package var description: String {
    switch self {
    case .missing(let path): "there is no origin database at \(path): put it there, or correct the path"
    case .empty(let path):
      "the origin \(path) is an empty file: it has no tables yet; put the database there, or correct the path"
    case .unreadable(let path, let reason):
      "the origin \(path) cannot be read: \(reason.message); "
        + (reason.saysExhausted
          ? FileError.exhaustedRemedy : "check that this user can read the file and its folder")
    case .damaged(let path, let reason):
      "the origin \(path) is damaged and cannot be read: \(reason.message); restore it from a backup"
    case .columns(let table, let source, let missing, let surplus):
      "table \"\(table)\" (\(source.place)): "
        + [("lacks the column", missing), ("has the surplus column", surplus)].filter { !$0.1.isEmpty }
        .map { "\($0.0)\($0.1.count == 1 ? "" : "s") \($0.1.map(quoted).joined(separator: ", "))" }
        .joined(separator: "; ")
        + (source.sql == nil
          ? "; bring it back, or create \(source.file) with a SELECT that returns it, and restart"
            + " 'seedbank run'" : "")
    case .invalidText(let table, _, let key), .unfit(let table, _, let key, _):
      "table \"\(table)\", row \(key): \(rowRule ?? "")"
    case .nullInKey(let table, _): "table \"\(table)\": a row has \(rowRule ?? "")"
    case .duplicateKey(let table, let key):
      "table \"\(table)\": two rows have the key \(key): remove one from the origin, or have the model's SELECT return only one"
    case .unavailable(let message), .configuration(let message), .data(let message): message
    case .notLoaded(let path):
      "the feed \(path) was not loaded yet: 'seedbank regenerate' loads and publishes it"
    case .tooLong(let path, let limit):
      "the decompressed feed has more than \(limit) bytes at \(path): if its size is right, raise origin.maximumBytes"
    case .noScratch(let path):
      "the rows of \(path) could not be sorted: there is no room for SQLite's temporary files; free some in "
        + "TMPDIR (or /var/tmp), or set TMPDIR to a folder with more room"
    case .locked(let path, let seconds):
      "the origin \(path) has been locked by another process for at least \(seconds) seconds: try again later"
    }
  }

  /// The rows of a table that violate one rule of the client's schema.
  package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package let table: String
    package let rule: String
    /// The keys of the first few rows.
    package internal(set) var rows: [String]
    package internal(set) var count: Int

    package var description: String {
      let named = (rows + (rows.count < count ? ["…"] : [])).joined(separator: "; ")
      return "table \"\(table)\": \(rule), \(count) \(count == 1 ? "row" : "rows") (\(named))"
    }
  }
}

extension [OriginError.Violation] {
  private static var namedRows: Int { 3 }

  mutating func note(_ table: TableSchema, _ rule: String, _ key: String) {
    let index = firstIndex { $0.table == table.name && $0.rule == rule }
    guard let index else { return append(.init(table: table.name, rule: rule, rows: [key], count: 1)) }
    self[index].count += 1
    if self[index].rows.count < Self.namedRows { self[index].rows.append(key) }
  }
}
