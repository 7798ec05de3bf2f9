import SeedDatabase
import SeedFormat
import SeedImport

struct ImportJob: Sendable {
  enum Format: String, CaseIterable, Sendable { case json, ndjson, csv }

  let source: String
  let database: String
  let mapping: ImportMapping
  let mappingPath: String?
  let policy: ImportPolicy
  let format: Format
  let rejects: String?
  let isDryRun: Bool

  /// Standard input's name for the user.
  static let standardInput = "-"
  /// Its name for the system.
  private static let inputPath = "/dev/stdin"

  private static let pieceBytes = 256 * 1024

  func run(
    tell: @escaping @Sendable (String) -> Void, _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) throws -> ImportReport {
    do {
      return try imported(tell, progress)
    } catch let failure as ImportFailure {
      throw CommandFailure(
        [.mapping, .schema].contains(failure.code) ? .configuration : .badData,
        failure.message + (failure.message.hasSuffix("?") ? "" : "."))
    } catch let error as CompressionError {
      throw CommandFailure(.badData, "\(source): \(error).")
    } catch let error as DatabaseError {
      throw error.failure(database)
    }
  }

  private func imported(
    _ tell: @escaping @Sendable (String) -> Void, _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) throws -> ImportReport {
    let connection = try Connection(database, .writer)
    let rejected = try rejects.map { try RejectsFile($0, sparing: files) }
    let reading = Reading(path: sourcePath)
    do {
      let report = try imported(reading, connection, rejected, tell, progress)
      try rejected?.keep()
      return report
    } catch {
      // Only the import's own failure is reported.
      if reading.hasBegun { try? rejected?.keep() } else { rejected?.discard() }
      throw error
    }
  }

  private final class Reading {
    let path: String
    private(set) var hasBegun = false

    init(path: String) { self.path = path }

    func pieces(_ sink: ([UInt8]) throws -> Void) throws {
      try DocumentUnpacker.read(path, pieces: ImportJob.pieceBytes) { piece in
        hasBegun = true
        try sink(piece)
      }
    }
  }

  private func imported(
    _ reading: Reading, _ connection: Connection, _ rejected: RejectsFile?,
    _ tell: @escaping @Sendable (String) -> Void, _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) throws -> ImportReport {
    var (hooks, document) = (ImportHooks(), try csv(connection))
    hooks.progress = progress
    if let rejected { hooks.rejected = { try rejected.append($0, row: $1) } }
    hooks.resumed = { document, row in
      tell("Resuming at row \(row) of \(document): the rows before it were imported.")
      try rejected?.takeOver(upTo: row, of: document)
    }
    hooks.origin = document?.records.origin
    let session = try ImportSession(connection, mapping: mapping, policy: policy, hooks: hooks)
    do {
      session.begin(source == Self.standardInput ? "standard input" : source)
      try feed(session, &document, reading)
      try session.end()
      return try session.finish(keeping: !isDryRun)
    } catch {
      session.abandon()
      // The session's own failures mention it themselves.
      if !(error is ImportFailure), let remainder = session.remainder { tell("\(remainder).") }
      throw error
    }
  }

  private var files: [ImportFile] {
    // SQLite puts them beside the target of a link.
    let own = ["-journal", "-wal", "-shm"].map {
      ImportFile(path: PhysicalPath.folder(database) + $0, role: "a file of the database")
    }
    return [ImportFile(path: database, role: "the database")] + own
      + [
        ImportFile(path: ImportCursor.path(beside: database), role: "the cursor of imports"),
        ImportFile(path: sourcePath, role: "the source"),
      ] + (mappingPath.map { [ImportFile(path: $0, role: "the mapping")] } ?? [])
  }

  private var sourcePath: String { source == Self.standardInput ? Self.inputPath : source }

  private func feed(
    _ session: ImportSession, _ document: inout CSVDocument?, _ reading: Reading
  ) throws {
    func take(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try session.feed($0) } }
    guard var csv = document.take() else { return try reading.pieces(take) }
    try reading.pieces { try csv.take($0, take) }
    try csv.end(take)
  }

  private func csv(_ connection: Connection) throws -> CSVDocument? {
    format == .csv ? CSVDocument(keepsEmpty: try emptyTexts(connection)) : nil
  }

  private func emptyTexts(_ connection: Connection) throws -> (String) -> Bool {
    let table = try SchemaReader(connection).table(mapping.lists[0].table.table)
    let columns = Set(table.columns.filter { $0.isNotNull && $0.affinity == .text }.map(\.name))
    let mapping = mapping.lists[0].table
    return { member in
      let listed = mapping.columns.filter { $0.value.member.names == [member] }.keys
      return columns.contains(mapping.names.columnName(member)) || !columns.isDisjoint(with: listed)
    }
  }
}

extension DatabaseError {
  /// The error as the importing user sees it: of the database's file, without the statement.
  fileprivate func failure(_ path: String) -> CommandFailure {
    let problem =
      switch primaryCode {
      case ResultCode.busy: "another process is writing to it. Try again when it has finished."
      case ResultCode.notADatabase: "this is not a SQLite database. Give one with --database."
      case ResultCode.readOnly: "it cannot be written to. Change the permissions of the file or its folder."
      case ResultCode.cannotOpen:
        "it cannot be opened. It must exist, and it and its folder must be readable."
      default: "SQLite says \"\(message)\" (\(code))."
      }
    return CommandFailure(primaryCode == ResultCode.busy ? .locked : .inputOutput, "\(path): \(problem)")
  }
}

extension ImportIssue {
  var json: JSONValue {
    .object(
      .init(
        ("document", .string(document)), ("row", JSONValue(row)), ("offset", JSONValue(offset)),
        ("table", .string(table)), ("key", key.map(JSONValue.string)),
        ("column", column.map(JSONValue.string)), ("code", .string(code.rawValue)),
        ("message", .string(message))))
  }
}

extension ImportReport {
  var json: JSONValue {
    [
      "tables": JSONValue(tables) { .object($0.counts.map { JSONMember($0, JSONValue($1)) }) },
      "rows": JSONValue(rows), "rowsTakenBefore": JSONValue(rowsTakenBefore), "bytes": JSONValue(bytes),
      "statements": JSONValue(statements), "seconds": .real(duration.seconds),
      "missing": .array(missing.map(\.json)), "issueCount": JSONValue(issueCount),
      "issues": .array(issues.map(\.json)),
    ]
  }
}

extension ImportReport.MissingMember {
  fileprivate var json: JSONValue {
    [
      "table": .string(table), "member": .string(member.description), "column": JSONValue(column),
      "similar": JSONValue(strings: similar),
    ]
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

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds / 1_000_000_000_000_000) / 1000
  }
}
