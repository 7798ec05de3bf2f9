import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// What a feed's values say of its tables, where nobody has: columns, their types, and what tells rows apart.
package struct FeedSurvey {
  /// A file that is no table, and why.
  package struct LeftOut: Hashable, Sendable {
    package let file: String
    package let reason: String
  }

  private let scratch: Connection
  private let settings: FeedSettings
  private var areTransit = false
  /// A statement for each table that has rows or columns.
  package private(set) var tables: [String] = []
  package private(set) var leftOut: [LeftOut] = []
  /// What has to be said of files that are written in another way than their names say.
  package private(set) var said: [FeedTable] = []
  /// The same for people.
  package private(set) var notes: [String] = []

  /// Reads all of a feed, of which something may be said already.
  package init(_ path: String, _ settings: FeedSettings = FeedSettings()) throws {
    self.settings = settings
    scratch = try Connection("feed", .scratch)
    try scratch.execute("BEGIN")
    let all = try FeedListing(path, settings).entries.flatMap {
      try FeedFile.all($0, limit: settings.mostBytes)
    }
    let files = try all.filter { try isTable($0) }
    let documents = try FeedDocuments.all(files, settings, .unknown, in: path)
    guard !documents.isEmpty || !leftOut.isEmpty else { throw FeedError.noFiles(path: path) }
    areTransit = FeedKeys.areTransit(documents.map(\.table))
    for table in documents {
      if let guessed = try guessed(table), let sql = try survey(guessed) { tables.append(sql) }
    }
  }

  // MARK: Files

  /// Notes texts that are prose: a licence, or what somebody wrote to whoever unpacks the archive.
  private mutating func isTable(_ file: FeedFile) throws -> Bool {
    let name = FeedName.table(file.name)
    let isSure =
      FeedKeys.isKnown(name) || settings.tables.contains { $0.isNamed(file.name) || $0.table == name }
    guard FeedName.isText(file.name), !isSure else { return true }
    do {
      let guess = try FeedGuess(file, settings)
      let documents = FeedDocuments(guess.table ?? FeedTable(name), [file], settings)
      let receiver = FeedSurveyor(documents, try Connection("text", .scratch))
      try FeedReading(file, documents, settings.mostBytes).feed(to: receiver)
      if receiver.width > 1 || receiver.names.allSatisfy(Self.isWord) { return true }
      leftOut.append(LeftOut(file: file.name, reason: "its first line names no fields, as prose does not"))
    } catch let error as FeedError { leftOut.append(LeftOut(file: file.name, reason: error.description)) }
    return false
  }

  private static func isWord(_ name: String) -> Bool {
    name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// With what its bytes tell, where nothing is said of the table; `nil` where it has no rows at all.
  private mutating func guessed(_ documents: FeedDocuments) throws -> FeedDocuments? {
    let isSaid = settings.tables.contains { $0.table.lowercased() == documents.table.lowercased() }
    guard !isSaid, let file = documents.files.first else { return documents }
    let guess = try FeedGuess(file, settings)
    if let flaw = guess.flaw {
      leftOut.append(LeftOut(file: file.name, reason: flaw))
      return nil
    }
    guard let table = guess.table else { return documents }
    said.append(table)
    notes.append(guess.note)
    return FeedDocuments(table, [file], settings)
  }

  // MARK: Tables

  /// Makes an empty database of the tables.
  package func make(at path: String) throws {
    let connection = try Connection(path, .creator)
    for table in tables { try connection.execute(table) }
  }

  private func survey(_ documents: FeedDocuments) throws -> String? {
    let receiver = FeedSurveyor(documents, scratch)
    for file in documents.files { try FeedReading(file, documents, settings.mostBytes).feed(to: receiver) }
    guard receiver.width > 0 else { return nil }
    try receiver.finish()
    let (names, columns) = (receiver.names, receiver.surveys)
    let types = zip(names, columns).map { name, column in
      column.type(known: areTransit ? TransitTypes.type(of: name) : nil)
    }
    let key = try key(of: documents.table, names, zip(types, columns).map { $0 != .real && !$1.hasNull })
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

  private static func sql(
    _ table: String, _ names: [String], _ types: [FeedTable.ColumnType], _ key: [String]
  )
    -> String
  {
    let isNumber = key.count == 1 && types[names.firstIndex(of: key[0]) ?? 0] == .integer
    var lines = zip(names, types).map { name, type in
      let constraint = !key.contains(name) ? "" : isNumber ? " PRIMARY KEY" : " NOT NULL"
      return "  \(quoted(name)) \(type.rawValue)\(constraint)"
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
