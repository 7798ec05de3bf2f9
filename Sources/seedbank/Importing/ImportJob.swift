import SeedDatabase
import SeedFormat

/// One import of the command, read from its arguments.
struct ImportJob: Sendable {
  enum Format: String, CaseIterable, Sendable { case json, ndjson, csv }

  let source: String
  let database: String
  let mapping: ImportMapping
  let policy: ImportPolicy
  let format: Format
  let rejects: String?
  let isDryRun: Bool

  /// Standard input's name among files.
  static let standardInput = "-"

  /// Bytes read at a time.
  private static let pieceBytes = 256 * 1024

  /// Runs it; blocks.
  func run(_ progress: @escaping @Sendable (ImportProgress) -> Void) throws -> ImportReport {
    do {
      return try imported(progress)
    } catch let failure as ImportFailure {
      let end = failure.message.hasSuffix("?") ? "" : "."
      throw CommandFailure(
        [.mapping, .schema].contains(failure.code) ? .configuration : .badData, failure.message + end)
    } catch let error as CompressionError {
      throw CommandFailure(.badData, "\(source): \(error).")
    }
  }

  private func imported(_ progress: @escaping @Sendable (ImportProgress) -> Void) throws -> ImportReport {
    let connection = try Connection(database, .writer)
    let rejected = try rejects.map { try RejectsFile($0) }
    var hooks = ImportHooks()
    hooks.progress = progress
    if let rejected { hooks.rejected = { try rejected.append($0, row: $1) } }
    let session = try ImportSession(connection, mapping: mapping, policy: policy, hooks: hooks)
    do {
      session.begin(source == Self.standardInput ? "standard input" : source)
      try feed(session, connection)
      try session.end()
      return try session.finish(keeping: !isDryRun)
    } catch {
      session.abandon()
      throw error
    }
  }

  private func feed(_ session: ImportSession, _ connection: Connection) throws {
    func take(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try session.feed($0) } }
    let path = source == Self.standardInput ? "/dev/stdin" : source
    guard format == .csv else {
      return try DocumentUnpacker.read(path, pieces: Self.pieceBytes, take)
    }
    var document = CSVDocument(keepsEmpty: try emptyTexts(connection))
    try DocumentUnpacker.read(path, pieces: Self.pieceBytes) { try document.take($0, take) }
    try document.end(take)
  }

  /// Which members go to TEXT columns that must not be NULL.
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

/// Rejected rows as lines of JSON, each with its reason.
private final class RejectsFile {
  private let file: File

  init(_ path: String) throws { file = try File(path, for: .replacing) }

  func append(_ issue: ImportIssue, row: [UInt8]) throws {
    var line = issue.json.bytes
    line.removeLast()
    line += ",\"value\":".utf8
    line += row.isEmpty ? Array("null".utf8) : row
    line += "}\n".utf8
    try file.write(line)
  }
}

extension ImportIssue {
  /// The issue as an object.
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
  /// The report as an object.
  var json: JSONValue {
    let tables = tables.sorted { $0.key < $1.key }.map { name, table in
      JSONMember(name, .object(table.counts.map { JSONMember($0.name, .integer(Int64($0.count))) }))
    }
    return [
      "tables": .object(tables), "rows": .integer(Int64(rows)), "bytes": .integer(Int64(bytes)),
      "statements": .integer(Int64(statements)), "seconds": .real(duration.seconds),
      "issueCount": .integer(Int64(issueCount)), "issues": .array(issues.map(\.json)),
    ]
  }
}

extension ImportReport.Table {
  /// What is counted, in the order in which it is told.
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
