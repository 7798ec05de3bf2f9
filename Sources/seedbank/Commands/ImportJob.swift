import SeedDatabase
import SeedFormat
import SeedImport
import SeedPublication
import SeedPublisher
import SeedSystem

struct ImportJob: Sendable {
  enum Format: String, CaseIterable, Sendable { case json, ndjson, csv }

  let inputs: [ImportInput]
  let database: String
  let mapping: ImportMapping
  let mappingPath: String?
  let policy: ImportPolicy
  let rejects: String?
  let isDryRun: Bool
  let console: Console

  let interrupt = InterruptHandle()

  /// Runs the import; blocks.
  func run() throws -> ImportReport {
    do {
      return try imported()
    } catch let failure as ImportFailure {
      throw Refusal(
        [.mapping, .schema].contains(failure.code) ? .configuration : .badData, failure.message.closed)
    } catch let error as DatabaseError { throw error.failure(database) }
  }

  private func imported() throws -> ImportReport {
    let connection = try Connection(database, .own)
    connection.endWithTask(or: interrupt)
    let rejected = try rejects.map { try RejectsFile($0, sparing: files) }
    let place = SourcePlace(inputs)
    do {
      let report = try imported(connection, rejected, place)
      try rejected?.secure()
      return report
    } catch {
      // A failure to write the rejected rows must not hide the import's error.
      if place.hasBegun { try? rejected?.secure() } else { rejected?.discard() }
      throw error
    }
  }

  private final class SourcePlace {
    var bytes = 0
    var hasBegun = false
    let size: Int?

    init(_ inputs: [ImportInput]) {
      let sizes = inputs.compactMap(\.size)
      size = sizes.count == inputs.count ? sizes.reduce(0, +) : nil
    }
  }

  private func feed(_ input: ImportInput, _ place: SourcePlace, _ session: ImportSession) throws {
    do {
      try DocumentUnpacker.read(
        input.path, isCancelled: { interrupt.isInterrupted }, passed: { place.bytes += $0 }
      ) { piece in
        place.hasBegun = true
        try piece.withUnsafeBytes { try session.feed($0) }
      }
    } catch let error as CompressionError { throw Refusal(.badData, "\(input.name): \(error)".closed) }
  }

  private func makeHooks(_ rejected: RejectsFile?, _ place: SourcePlace) -> ImportHooks {
    var hooks = ImportHooks()
    hooks.isCancelled = { [interrupt] in interrupt.isInterrupted }
    hooks.progress = { [console] in
      console.progress("importing", place.bytes, of: place.size, rows: $0.rows)
    }
    if let rejected {
      hooks.rejected = { try rejected.append($0) }
      hooks.willCommit = { try rejected.secure() }
    }
    return hooks
  }

  private func imported(
    _ connection: Connection, _ rejected: RejectsFile?, _ place: SourcePlace
  ) throws -> ImportReport {
    let hooks = makeHooks(rejected, place)
    let session = try ImportSession(
      connection, mapping: mapping, policy: policy, hooks: hooks, isDryRun: isDryRun)
    do {
      for input in inputs {
        try session.begin(input.name)
        try feed(input, place, session)
        try session.end()
      }
      return try session.finish()
    } catch {
      session.abandon()
      // SQLite's error only reports that a statement was interrupted.
      guard !interrupt.isInterrupted else {
        console.note("Interrupted: \(session.remainder ?? "nothing was changed").")
        throw CancellationError()
      }
      // An ImportFailure already names the rows that were committed.
      if !(error is ImportFailure), let remainder = session.remainder {
        console.note("\(remainder).")
      }
      throw error
    }
  }

  private var files: [ImportFile] {
    // If the database is a symbolic link, SQLite creates these files beside its target.
    let own = ["-journal", "-wal", "-shm"].map {
      ImportFile(path: PhysicalPath.folder(database) + $0, role: "a file of the database")
    }
    return [ImportFile(path: database, role: "the database")] + own
      + inputs.map { ImportFile(path: $0.path, role: "a file to import") }
      + (mappingPath.map { [ImportFile(path: $0, role: "the mapping")] } ?? [])
  }
}

extension DatabaseError {
  fileprivate func failure(_ path: String) -> Refusal {
    let problem =
      switch primaryCode {
      case ResultCode.busy: "another process is writing to it. Try again when it has finished."
      case ResultCode.notADatabase: "this is not a SQLite database. Give one with --database."
      case ResultCode.readOnly: "it cannot be written to. Change the permissions of the file or its folder."
      case ResultCode.cannotOpen where saysExhausted: "it cannot be opened; \(FileError.exhaustedRemedy)."
      case ResultCode.cannotOpen:
        "it cannot be opened. It must exist, and it and its folder must be readable."
      default: "SQLite reports \"\(message)\" (\(code))."
      }
    return Refusal(primaryCode == ResultCode.busy ? .locked : .inputOutput, "\(path): \(problem)")
  }
}

extension ImportReport {
  var json: JSONValue {
    [
      "tables": JSONValue(tables) { .object($0.counts.map { JSONMember($0, JSONValue($1)) }) },
      "rows": JSONValue(rows), "unmatchedRows": JSONValue(unmatchedRows),
      "bytes": JSONValue(bytes), "statements": JSONValue(statements),
      "seconds": .real((duration / .milliseconds(1)).rounded(.down) / 1000),
      "missing": .array(missing.map(\.json)), "issueCount": JSONValue(issueCount),
      "issues": .array(issues.map(\.json)),
    ]
  }
}

extension ImportReport.MissingMember {
  fileprivate var json: JSONValue {
    ["table": .string(table), "member": .string(member.description), "column": JSONValue(column)]
  }
}

extension ImportReport.Table {
  var counts: [(name: String, count: Int)] {
    [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("deleted", deleted),
      ("rejected", rejected),
    ]
  }
}

/// Rejected rows as lines of JSON. A temporary file replaces the target before the first rows are committed, or at
/// the end if nothing is committed. If the target is a pipe or another special file, rows go directly to it.
final class RejectsFile {
  private let path: String
  /// The temporary file until it replaces the target.
  private var temporary: String?
  private let isRegular: Bool
  private let file: File

  /// `others` are the import's own files, which must not be overwritten.
  init(_ path: String, sparing others: [ImportFile]) throws {
    self.path = PhysicalPath.folder(path)
    isRegular = try FileStamp(path)?.isRegular ?? true
    let temporary = isRegular ? self.path + DurableFile.temporarySuffix : nil
    for name in [self.path, temporary].compactMap(\.self) {
      guard let other = try others.first(where: { try $0.isSame(as: name) }) else { continue }
      throw Refusal(
        .usage,
        "The rejected rows would overwrite \(name), which is \(other.role): choose another file with --rejects."
      )
    }
    self.temporary = temporary
    file = try File(temporary ?? self.path, for: .replacing)
  }

  func append(_ row: ImportReject) throws { try file.write(row.json + [0x0A]) }

  /// Syncs the lines and replaces the target.
  func secure() throws {
    guard isRegular else { return }
    try file.sync()
    if let temporary {
      try DurableFile.moveIntoPlace(temporary, path)
      self.temporary = nil
    }
  }

  func discard() { if let temporary { try? Folder.remove(temporary) } }
}

struct ImportFile {
  let path: String
  let role: String

  /// Whether both paths mean the same file, which need not exist yet.
  func isSame(as other: String) throws -> Bool {
    if let own = try FileStamp(path), let other = try FileStamp(other) {
      return own.isRegular && own.isOfSameFile(as: other)
    }
    return PhysicalPath.folder(path) == PhysicalPath.folder(other)
  }
}
