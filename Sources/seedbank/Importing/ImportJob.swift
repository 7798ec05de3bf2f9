import SeedDatabase
import SeedFormat
import SeedImport

/// One `seedbank import`.
struct ImportJob: Sendable {
  enum Format: String, CaseIterable, Sendable { case json, ndjson, csv }

  let source: String
  let database: String
  let mapping: ImportMapping
  /// The mapping's file, where one was given.
  let mappingPath: String?
  let policy: ImportPolicy
  let format: Format
  let rejects: String?
  let isDryRun: Bool

  /// The file's name for standard input.
  static let standardInput = "-"
  /// Its name for the system.
  private static let inputPath = "/dev/stdin"

  /// Bytes read at a time.
  private static let pieceBytes = 256 * 1024

  /// Runs it; blocks. `tell` takes notes for the user before the end.
  func run(
    tell: @escaping @Sendable (String) -> Void, _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) throws -> ImportReport {
    var hooks = ImportHooks()
    hooks.progress = progress
    do {
      return try imported(hooks, tell)
    } catch let failure as ImportFailure {
      let end = failure.message.hasSuffix("?") ? "" : "."
      throw CommandFailure(
        [.mapping, .schema].contains(failure.code) ? .configuration : .badData, failure.message + end)
    } catch let error as CompressionError {
      throw CommandFailure(.badData, "\(source): \(error).")
    } catch let error as DatabaseError {
      throw error.failure(database)
    }
  }

  private func imported(
    _ hooks: ImportHooks, _ tell: @escaping @Sendable (String) -> Void
  ) throws -> ImportReport {
    let connection = try Connection(database, .writer)
    let rejected = try rejects.map { try RejectsFile($0, sparing: files) }
    let reading = Reading(path: source == Self.standardInput ? Self.inputPath : source)
    do {
      let report = try imported(reading, connection, rejected, hooks, tell)
      try rejected?.keep()
      return report
    } catch {
      // Only the import's own failure is reported.
      if reading.hasBegun { try? rejected?.keep() } else { rejected?.discard() }
      throw error
    }
  }

  /// The source as it is read.
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
    _ reading: Reading, _ connection: Connection, _ rejected: RejectsFile?, _ hooks: ImportHooks,
    _ tell: @escaping @Sendable (String) -> Void
  ) throws -> ImportReport {
    var (hooks, document) = (hooks, try csv(connection))
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

  /// All files that the import reads or writes, without the rejected rows.
  private var files: [ImportFile] {
    var files = [ImportFile(path: database, role: "the database")]
    // SQLite puts them beside the target of a link.
    let own = PhysicalPath.folder(database)
    for suffix in ["-journal", "-wal", "-shm"] {
      files.append(ImportFile(path: own + suffix, role: "a file of the database"))
    }
    files.append(ImportFile(path: ImportCursor.path(beside: database), role: "the cursor of imports"))
    files.append(ImportFile(path: source == Self.standardInput ? Self.inputPath : source, role: "the source"))
    if let mappingPath { files.append(ImportFile(path: mappingPath, role: "the mapping")) }
    return files
  }

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

  /// The members that go to TEXT columns that are NOT NULL.
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
    switch primaryCode {
    case ResultCode.busy:
      CommandFailure(.locked, "\(path): another process is writing to it. Try again when it has finished.")
    case ResultCode.notADatabase:
      CommandFailure(.inputOutput, "\(path): this is not a SQLite database. Give one with --database.")
    case ResultCode.readOnly:
      CommandFailure(
        .inputOutput, "\(path): it cannot be written to. Change the permissions of the file or its folder.")
    case ResultCode.cannotOpen:
      CommandFailure(
        .inputOutput, "\(path): it cannot be opened. It must exist, and it and its folder must be readable.")
    default: CommandFailure(.inputOutput, "\(path): SQLite says \"\(message)\" (\(code)).")
    }
  }
}

extension ImportIssue {
  var json: JSONValue {
    var members: [JSONMember] = [
      JSONMember("document", .string(document)), JSONMember("row", .integer(Int64(row))),
      JSONMember("offset", .integer(Int64(offset))), JSONMember("table", .string(table)),
    ]
    if let key { members.append(JSONMember("key", .string(key))) }
    if let column { members.append(JSONMember("column", .string(column))) }
    members += [JSONMember("code", .string(code.rawValue)), JSONMember("message", .string(message))]
    return .object(members)
  }
}

extension ImportReport {
  var json: JSONValue {
    let tables = tables.sorted { $0.key < $1.key }.map { name, table in
      JSONMember(name, .object(table.counts.map { JSONMember($0.name, .integer(Int64($0.count))) }))
    }
    return [
      "tables": .object(tables), "rows": .integer(Int64(rows)),
      "rowsTakenBefore": .integer(Int64(rowsTakenBefore)), "bytes": .integer(Int64(bytes)),
      "statements": .integer(Int64(statements)), "seconds": .real(duration.seconds),
      "missing": .array(missing.map(\.json)),
      "issueCount": .integer(Int64(issueCount)), "issues": .array(issues.map(\.json)),
    ]
  }
}

extension ImportReport.MissingMember {
  fileprivate var json: JSONValue {
    [
      "table": .string(table), "member": .string(member.description),
      "column": column.map { .string($0) } ?? .null, "similar": .array(similar.map { .string($0) }),
    ]
  }
}

extension ImportReport.Table {
  /// The counts, in the order of output.
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
