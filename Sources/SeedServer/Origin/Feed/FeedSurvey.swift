import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// What a feed's values say of its tables, where nobody has: columns, their types, and what tells rows apart.
package struct FeedSurvey {
  private let scratch: Connection
  private let areTransit: Bool
  /// A statement for each table that has rows or columns.
  package private(set) var tables: [String] = []

  /// Reads all of a feed.
  package init(_ path: String) throws {
    var settings = FeedSettings()
    settings.source = .path(path)
    let listing = try FeedListing(path, settings)
    let files = try listing.entries.flatMap { try FeedFile.all($0, limit: settings.mostBytes) }
    let documents = try FeedDocuments.all(files, settings, FeedSchema([]), in: path)
    guard !documents.isEmpty else { throw FeedError.noFiles(path: path) }
    scratch = try Connection("feed", .scratch)
    try scratch.execute("BEGIN")
    areTransit = FeedKeys.areTransit(documents.map(\.table))
    for table in documents {
      if let sql = try survey(table, settings) { tables.append(sql) }
    }
  }

  /// Makes an empty database of the tables.
  package func make(at path: String) throws {
    let connection = try Connection(path, .creator)
    for table in tables { try connection.execute(table) }
  }

  private func survey(_ documents: FeedDocuments, _ settings: FeedSettings) throws -> String? {
    let receiver = FeedSurveyor(documents, scratch)
    for file in documents.files { try FeedReading(file, documents, settings.mostBytes).feed(to: receiver) }
    guard receiver.width > 0 else { return nil }
    try receiver.finish()
    let (names, columns) = (receiver.names, receiver.surveys)
    let types = zip(names, columns).map { name, column in
      areTransit && FeedKeys.isName(name) ? "TEXT" : column.type
    }
    let key = try key(of: documents.table, names, zip(types, columns).map { $0 != "REAL" && !$1.hasNull })
    return Self.sql(documents.table, names, types, key)
  }

  // MARK: Keys

  /// Columns of a key that was not known, at most.
  private static let mostKeyColumns = 4
  /// Rows among which two with equal values are looked for first.
  private static let sampleRows = 1000

  /// The columns that tell all rows apart: those that are known to, else the first one that does, else the first few.
  private func key(of table: String, _ names: [String], _ mayBe: [Bool]) throws -> [String] {
    let fit = names.indices.filter { mayBe[$0] }.map { names[$0] }
    let known = FeedKeys.known(table, columns: fit)
    let prefixes = (2...Self.mostKeyColumns).map { Array(names.prefix($0)) }
    // Where the usual key does not do, one column of such a table only does by accident.
    let singles = FeedKeys.isKnown(table) ? [] : fit.map { [$0] }
    let candidates = [known] + singles + prefixes.filter { $0.allSatisfy(fit.contains) }
    return try candidates.first { try !$0.isEmpty && isKey($0, of: table) } ?? []
  }

  private func isKey(_ columns: [String], of table: String) throws -> Bool {
    for limit in [Self.sampleRows, Int.max] {
      let rows = "SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(quoted(table)) LIMIT \(limit)"
      let count =
        "SELECT (SELECT count(*) FROM (\(rows))) - (SELECT count(*) FROM (SELECT DISTINCT * FROM (\(rows))))"
      guard try scratch.integer(count) == 0 else { return false }
    }
    return true
  }

  // MARK: SQL

  private static func sql(_ table: String, _ names: [String], _ types: [String], _ key: [String]) -> String {
    let isNumber = key.count == 1 && types[names.firstIndex(of: key[0]) ?? 0] == "INTEGER"
    var lines = zip(names, types).map { name, type in
      let constraint = !key.contains(name) ? "" : isNumber ? " PRIMARY KEY" : " NOT NULL"
      return "  \(quoted(name)) \(type)\(constraint)"
    }
    if !isNumber, !key.isEmpty { lines.append("  PRIMARY KEY (\(key.map(quoted).joined(separator: ", ")))") }
    return "CREATE TABLE \(quoted(table)) (\n\(lines.joined(separator: ",\n"))\n)"
  }
}

/// Writes a table's rows as they are, and looks at their values.
private final class FeedSurveyor: RowReceiver {
  private let writer: FeedTableWriter
  private let isJSON: Bool
  private var columns: [ColumnSurvey] = []

  init(_ documents: FeedDocuments, _ connection: Connection) {
    isJSON = documents.otherType.isEmpty
    writer = FeedTableWriter(FeedSchema.Table(documents.table), connection, otherType: documents.otherType)
  }

  /// Makes the table also where no row came.
  func finish() throws { try writer.makeColumns() }

  var names: [String] { writer.names }
  var width: Int { writer.width }
  func column(_ name: String) -> ReceivedColumn? { writer.column(name) }
  func flaw(ofHeader names: [String]) -> String? { writer.flaw(ofHeader: names) }

  /// Of each column, also of those that no row came for.
  var surveys: [ColumnSurvey] { columns + new }

  /// A column that comes later was not there before.
  private var new: [ColumnSurvey] {
    Array(repeating: ColumnSurvey(isAbsent: writer.rows > 0), count: width - columns.count)
  }

  func take(_ rows: ReceivedRows) throws {
    columns += new
    for number in 0..<rows.count {
      let row = rows.row(number)
      for column in columns.indices { columns[column].take(row[column], isText: isJSON) }
    }
    try writer.take(rows)
  }
}
