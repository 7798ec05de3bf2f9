import SeedDatabase
import SeedFormat
import SeedSystem

/// Derives tables, with columns, types and keys, from a feed's values before there is a model.
package struct FeedSurvey {
  private let scratch: Connection
  private let settings: FeedSettings
  private let isTransit: Bool
  /// A CREATE statement for each table that has rows or columns.
  package private(set) var tables: [String] = []
  /// Files that are not tables, each with the reason.
  package private(set) var skipped: [(file: String, reason: String)] = []
  /// Settings for files whose format is not the one that their names imply.
  package private(set) var guesses: [FeedTable] = []
  /// A description of each of these settings.
  package private(set) var notes: [String] = []
  package let bytes: Int

  /// Reads the whole feed. `settings` may already describe parts of it.
  package init(_ path: String, _ settings: FeedSettings = FeedSettings()) throws {
    self.settings = settings
    scratch = try Connection("feed", .scratch)
    try scratch.execute("BEGIN")
    let listing = try FeedListing(path, settings)
    bytes = listing.entries.reduce(0) { $0 + $1.stamp.size }
    let all = try TableFiles.all(listing.files(), settings, FeedSchema([]), in: path)
    isTransit = Transit.isFeed(all.map(\.table))
    for documents in all { try survey(documents) }
  }

  package func make(at path: String) throws {
    let connection = try Connection(path, .creator)
    for table in tables { try connection.execute(table) }
  }

  private mutating func survey(_ documents: TableFiles) throws {
    let isConfigured = settings.tables.contains { $0.table.foldedName == documents.table.foldedName }
    guard !isConfigured, let file = documents.files.first else {
      try add(documents)
      return
    }
    let guess = try FeedGuess(file, settings)
    let guessed =
      guess.table.map { TableFiles(configured: $0, files: [file], settings: settings) } ?? documents
    if let flaw = try guess.flaw ?? add(guessed) {
      skipped.append((file.name, flaw))
    } else if let table = guess.table {
      guesses.append(table)
      notes.append(guess.note)
    }
  }

  /// Adds a table. If its file is prose, such as a licence or a readme, returns the reason instead.
  @discardableResult
  private mutating func add(_ documents: TableFiles) throws -> String? {
    let writer = FeedTableWriter(FeedSchema.Table(documents.table), scratch, otherType: documents.otherType)
    do {
      try documents.read(into: writer)
    } catch let error as OriginError {
      guard documents.mayBeProse else { throw error }
      return error.description
    }
    let names = writer.names
    if documents.isProse(names) { return "its first line does not name fields, so it is probably prose" }
    guard !names.isEmpty else { return nil }
    try writer.makeColumns()
    let columns = try names.map { name in
      try ColumnSurvey(name, of: documents.table, scratch, isText: documents.otherType.isEmpty)
    }
    let types = zip(names, columns).map { name, column in
      column.type(known: isTransit ? Transit.type(of: name) : nil)
    }
    let key = try key(of: documents.table, names, zip(types, columns).map { $0 != .real && !$1.hasNull })
    tables.append(Self.sql(documents.table, names, types, key))
    return nil
  }

  private static func sql(
    _ table: String, _ names: [String], _ types: [FeedTable.ColumnType], _ key: [String]
  ) -> String {
    let lines = zip(names, types).map { name, type in
      "\(quoted(name)) \(type.rawValue)\(key.contains(name) ? " NOT NULL" : "")"
    }
    let rule = key.isEmpty ? [] : ["PRIMARY KEY (\(key.map(quoted).joined(separator: ", ")))"]
    // A rowid table would store a key of several columns twice: in the table and in an index.
    let end = key.count > 1 ? " WITHOUT ROWID" : ""
    return "CREATE TABLE \(quoted(table)) (\((lines + rule).joined(separator: ", ")))\(end)"
  }

  /// Returns the first unique key: the table's usual key, a single column, or the first two, three or four columns.
  private func key(of table: String, _ names: [String], _ mayBe: [Bool]) throws -> [String] {
    let fit = names.indices.filter { mayBe[$0] }.map { names[$0] }
    let prefixes = (2...4).map { Array(names.prefix($0)) }
    // If the usual key of a transit table is not unique, a single unique column is a coincidence.
    let singles = Transit.isTable(table) ? [] : fit.map { [$0] }
    let candidates =
      [Transit.key(of: table, columns: fit)] + singles + prefixes.filter { $0.allSatisfy(fit.contains) }
    return try candidates.first { try !$0.isEmpty && isKey($0, of: table) } ?? []
  }

  private func isKey(_ columns: [String], of table: String) throws -> Bool {
    // Tests a few rows first, because most columns that are not a key already have duplicates among them.
    for limit in [1000, Int.max] {
      let rows = "SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(quoted(table)) LIMIT \(limit)"
      let count =
        "SELECT (SELECT count(*) FROM (\(rows))) - (SELECT count(*) FROM (SELECT DISTINCT * FROM (\(rows))))"
      guard try scratch.integer(count) == 0 else { return false }
    }
    return true
  }
}

struct ColumnSurvey {
  let hasNull: Bool
  /// The most general rank of all values; `nil` without values.
  private let rank: Rank?

  private enum Rank: Int64 { case whole, number, other }

  /// An expression that ranks text as a number if it spells one. Text remains text if it has a leading zero,
  /// as codes may, or more than 18 digits, which may not fit in 64 bits.
  private static let rankOfText = """
    CASE WHEN CAST(CAST(value AS INTEGER) AS TEXT) = value THEN iif(length(value) <= 18, 0, 2)
    WHEN substr(value, instr(value, '.') + 1) NOT GLOB '*[^0-9]*' AND value NOT LIKE '%.'
      AND substr(value, 1, instr(value, '.') - 1) IN ('-0', CAST(CAST(value AS INTEGER) AS TEXT)) THEN 1
    ELSE 2 END
    """

  /// Reads all rows of a table. Text that spells a number counts as a number, unless `isText` is true.
  init(_ column: String, of table: String, _ connection: Connection, isText: Bool = false) throws {
    let row = try connection.rows(
      """
      SELECT max(CASE typeof(value) WHEN 'null' THEN NULL WHEN 'integer' THEN 0 WHEN 'real' THEN 1
        WHEN 'text' THEN \(isText ? "2" : Self.rankOfText) ELSE 2 END), count(value) < count(*)
      FROM (SELECT \(quoted(column)) AS value FROM \(quoted(table)))
      """)[0]
    rank = if case .integer(let rank) = row[0] { Rank(rawValue: rank) } else { nil }
    hasNull = row[1] == .integer(1)
  }

  /// Returns the known type if all values fit it; otherwise the type of the values.
  func type(known: FeedTable.ColumnType?) -> FeedTable.ColumnType {
    switch (known, rank) {
    case (.integer?, nil), (.real?, nil), (.real?, .whole?): known ?? .text
    case (.text?, _), (_, nil), (_, .other?): .text
    case (_, .whole?): .integer
    case (_, .number?): .real
    }
  }
}
