import SeedClient
import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

extension Refusal {
  init(of error: any Error) {
    switch error {
    case let error as Refusal: self = error
    case let error as FollowFailure: self.init(error.isUnavailable ? .unavailable : .badData, error.message)
    case let error as SeedError: self.init(Self.exitCode(of: error.code), error.message.asSentence)
    case let error as TrustError where error.isOfPublication:
      self.init(
        .badData,
        "\(error)".asSentence.dropLast()
          + "; restore the publication from a backup. 'seedbank verify' shows the damage.")
    case let error as FileError where error.isFull && error.path.hasPrefix(Paths.scratchPrefix):
      self.init(.inputOutput, "\(error)".asSentence.dropLast() + Self.scratchAdvice)
    case let error as FileError where error.isFull || error.isUnwritable || error.isExhausted:
      self.init(.inputOutput, "\(error)".asSentence.unclosed + Self.advice(on: error))
    case let error as DatabaseError where error.place != nil:
      let sentence = "\(error)".asSentence
      self.init(.inputOutput, Self.advice(on: error).map { sentence.unclosed + $0 } ?? sentence)
    case PublicationError.locked(_, let holder?, _):
      self.init(.locked, "\("\(error)".asSentence.unclosed) (\(holder)).")
    default:
      let known = Self.exitCode(of: error)
      self.init(known ?? .failure, known == nil ? "\(error)" : "\(error)".asSentence)
    }
  }

  private static let scratchAdvice = ": free some space there, or set TMPDIR to a folder with more space."

  private static func advice(on error: FileError) -> String {
    if error.isFull {
      return
        "\(room(beside: error.path)): free some space, then run the command again; 'run' retries on its own."
    }
    if error.isExhausted { return "; \(FileError.exhaustedRemedy)." }
    if error.number == EROFS { return "; its disk is mounted read-only: mount it for writing." }
    if let remedy = error.rightsRemedy { return "; \(remedy)." }
    let folder = Folder.parent(of: error.path).printable
    return "; run the command as the owner of \(folder), or give this user access to it."
  }

  private static func room(beside path: String) -> String {
    DiskUse(of: Folder.parent(of: path)).map { " (\(ByteCount(bytes: Int($0.freeBytes))) free)" } ?? ""
  }

  private static func advice(on error: DatabaseError) -> String? {
    switch error.place {
    case .database(let path) where error.saysUnfinished:
      "; a command was killed while it changed \(path): the next command that writes there rolls the change back."
    case .database(let path) where error.primaryCode == ResultCode.readOnly:
      "; \(path) or its folder cannot be written: run the command as the owner, give this user access to it, or mount its "
        + "disk for writing."
    case .database(let path) where !path.hasPrefix(Paths.scratchPrefix):
      error.saysFull
        ? "; there is no space for \(path)\(room(beside: path)), or for SQLite's sorting in TMPDIR: free some space."
        : nil
    case .database, .scratch:
      "; scratch files are in \(Paths.scratchFolder): check its disk and free space, or set TMPDIR to another folder."
    case .descriptors: "; \(FileError.exhaustedRemedy)."
    case nil: nil
    }
  }

  var json: JSONValue {
    [
      "kind": .string("\(exitCode)"), "exitCode": JSONValue(Int(exitCode.rawValue)),
      "message": .string(message),
    ]
  }

  private static func exitCode(of error: any Error) -> ExitCode? {
    switch error {
    case is DatabaseError, is FileError, OriginError.noScratch: .inputOutput
    case let error as any OriginFailure:
      error.isUnavailable ? .unavailable : error.isConfiguration ? .configuration : .badData
    case is HTTPServerError: .unavailable
    case is PlanError, is SchemaProblem, is MissingKeys, is VersionsExhausted: .configuration
    // A missing, malformed or conflicting key is a configuration error. Other failures come from the disk.
    case KeyFileError.system(let failure) where !failure.isMissing: .inputOutput
    case is KeyFileError: .configuration
    case PublicationError.locked: .locked
    case let failure as MirrorFailure: mirrorCode(failure.error)
    case let error as PublicationError where error.isConfiguration: .configuration
    case is ImportError, is InvalidText, is InvalidName, is TrustError, is PublicationError,
      is OfflineChange.SignatureError, is RecallError, is NotASeed, is ApplyError, is CompressionError:
      .badData
    default: nil
    }
  }

  private static func mirrorCode(_ error: MirrorError) -> ExitCode {
    switch error {
    case .ahead, .forked, .overtaken, .rival: .locked
    case .foreign, .vanished, .refused, .ignoresConditions: .configuration
    case .away: .unavailable
    case .leftover(let cause): mirrorCode(cause)
    }
  }

  /// Chooses the exit code by how a script should react. Codes not listed here mean that data was rejected.
  private static func exitCode(of code: SeedError.Code) -> ExitCode {
    switch code {
    case .network, .waitingForNetwork, .server, .serverBusy, .accessDenied, .timedOut, .missingFile:
      .unavailable
    case .io, .insufficientSpace: .inputOutput
    case .tooLarge, .cancelled, .query: .failure
    case .storeLocked: .locked
    case .configuration: .configuration
    default: .badData
    }
  }
}

/// Runs `body`, and names the file in an error about its content.
func naming<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
  do { return try body() } catch  where error.isAboutContent {
    throw Refusal(.badData, "\(file.printable): \("\(error)".closed)")
  }
}

extension Error {
  fileprivate var isAboutContent: Bool {
    if let error = self as? DatabaseError {
      return !error.saysHindrance && error.primaryCode != ResultCode.busy
    }
    return self is NotASeed || self is SchemaProblem || self is CompressionError
  }
}

extension TrustError {
  /// True if the publication's files are inconsistent; false if a single file is wrong.
  fileprivate var isOfPublication: Bool {
    switch self {
    case .missingFile, .missingRole, .hashMismatch, .lengthMismatch, .wrongVersion, .rollback, .badSignature:
      true
    case .conflict, .expired, .malformed, .tooLong, .pathNotDelegated, .outOfOrder: false
    }
  }
}

extension String {
  /// Capitalised and with a full stop, like other messages. A path or a series at the start is not capitalised.
  fileprivate var asSentence: String {
    let start = beginsWithWord ? prefix(1).uppercased() : String(prefix(1))
    return (start + dropFirst()).closed
  }

  /// False if the message begins with a path or a series, because these contain characters other than letters.
  private var beginsWithWord: Bool {
    prefix { $0 != " " }.allSatisfy { ("a"..."z").contains($0) || $0 == "'" || $0 == "," }
  }
}

extension Finding {
  var line: String { "\(severity.rawValue): \(path): \(problem); \(remedy)" }

  var json: JSONValue {
    [
      "severity": .string(severity.rawValue), "path": .string(path), "problem": .string(problem),
      "remedy": .string(remedy),
    ]
  }
}

extension [Finding] {
  func checkSound() throws(Refusal) {
    let count = count { $0.severity == .error }
    guard count > 0 else { return }
    throw Refusal(
      .badData, "\(count == 1 ? "1 error was" : "\(count) errors were") found, see above.", isInResult: true)
  }
}
