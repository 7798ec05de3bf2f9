import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import SeedTrust

import struct Foundation.Data
import class Foundation.JSONDecoder
import class Foundation.JSONEncoder

struct FeedLoader {
  let settings: FeedSettings
  var schema: FeedSchema
  let staging: String

  private var form: String {
    let configured = settings.tables.map { "\($0.table) \($0.json.text)" }
    let texts = [schema.fingerprint, settings.emptyFields.rawValue] + configured
    return SHA256Digest.of(JSONValue(strings: texts).bytes).hex
  }

  private var source: String { settings.source?.text ?? "" }

  func isFromSource(_ record: FeedRecord) -> Bool { record.source == source }

  /// Whether the settings and models were equivalent, so that unchanged files would yield the rows already loaded.
  func isOfForm(_ record: FeedRecord) -> Bool { record.form == form }

  /// Builds a new staging database. Returns false and keeps nothing if the files no longer match the listing.
  func load(
    _ listing: FeedListing, now: Int, folder: String = "", unless isOther: () throws -> Bool
  ) throws -> Bool {
    let tables = try TableFiles.all(listing.files(), settings, schema, in: listing.path)
    var record = FeedRecord(
      listing: listing.text, form: form, source: source, loadedAt: now,
      isSettled: listing.isSettled(now: now), folder: folder)
    do {
      let staging = try FeedStaging(self.staging)
      defer { staging.discard() }
      var bytes = 0
      for table in tables { record.tables.append(try load(table, into: staging, &bytes)) }
      guard try !isOther() else { return false }
      try staging.finish(record)
      return true
    } catch let error as DatabaseError {
      throw OriginError.unavailable(
        "the feed's rows cannot be stored in \(staging): \(error.message); free space on that disk; the next step will load them again"
      )
    }
  }

  private func load(
    _ files: TableFiles, into staging: FeedStaging, _ bytes: inout Int
  ) throws -> FeedRecord.Table {
    let table = schema.table(files.table)
    let writer = FeedTableWriter(table, staging.connection, otherType: files.otherType)
    guard schema.includes(files.table) else {
      try files.readColumns(into: writer)
      return FeedRecord.Table(name: table.name)
    }
    let read = try files.read(into: writer, after: bytes)
    bytes = read.bytes
    // A SELECT may read the columns with a configured type even if the table has no document.
    if files.files.isEmpty { for name in table.types.keys.sorted() { _ = writer.column(name) } }
    if let flaw = writer.flawOfRows {
      throw OriginError.data("\(files.files.map(\.place).joined(separator: ", ")): \(flaw)")
    }
    try writer.makeColumns()
    // If the columns occupy every name for the rowid, errors report wrong places.
    let rowid = RowidName.free(besides: writer.names) ?? "rowid"
    try staging.complete(table, rowid: rowid, files.place)
    return FeedRecord.Table(name: table.name, untyped: writer.untyped, files: read.files)
  }

  /// Whether the rows were loaded from the configured source with these settings and models.
  func isUsable(_ record: FeedRecord) -> Bool { isFromSource(record) && isOfForm(record) }

  var usableRecord: FeedRecord? { record.flatMap { isUsable($0) ? $0 : nil } }

  /// The record of the current staging database; `nil` if the database is missing or unreadable.
  var record: FeedRecord? {
    guard Folder.exists(staging), let connection = try? Connection(staging, .origin) else { return nil }
    return FeedRecord(in: connection)
  }
}

/// A new staging database beside the current one, invisible until it is complete.
struct FeedStaging {
  let connection: Connection
  private let path: String
  private let temporary: String

  static let recordTable = "\(ReservedTable.prefix)feed"

  init(_ path: String) throws {
    (self.path, temporary) = (path, path + DurableFile.temporarySuffix)
    try Folder.remove(temporary)
    connection = try Connection(temporary, .creator)
    // The file is discarded after a crash, so it needs no journal. The cache holds 32 MiB of pages.
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768")
    try connection.execute("BEGIN")
  }

  /// Applies defaults and checks the key after all rows are written. `place` finds a row's place by its `rowid`.
  func complete(_ table: FeedSchema.Table, rowid: String, _ place: (Int) -> String) throws {
    for column in table.columns where column.isNotNull {
      guard let value = column.defaultExpression else { continue }
      let name = quoted(column.name)
      try connection.execute("UPDATE \(quoted(table.name)) SET \(name) = (\(value)) WHERE \(name) IS NULL")
    }
    guard !table.key.isEmpty else { return }
    for (column, _) in table.key { try refuseNull(column, table, rowid, place) }
    let key = table.key.map { "\(quoted($0.column)) COLLATE \($0.collation.rawValue)" }.joined(
      separator: ", ")
    do {
      try connection.execute(
        "CREATE UNIQUE INDEX \(quoted("\(ReservedTable.prefix)key_\(table.name)")) ON \(quoted(table.name))(\(key))"
      )
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw try doubled(table, key, rowid, place)
    }
  }

  private func refuseNull(
    _ column: String, _ table: FeedSchema.Table, _ rowid: String, _ place: (Int) -> String
  ) throws {
    let row = try connection.integer(
      "SELECT min(\(rowid)) FROM \(quoted(table.name)) WHERE \(quoted(column)) IS NULL")
    guard let row else { return }
    throw OriginError.data(
      "\(place(Int(row))): table \"\(table.name)\": the key column \"\(column)\" is empty, and each row needs its key"
    )
  }

  private func doubled(
    _ table: FeedSchema.Table, _ key: String, _ rowid: String, _ place: (Int) -> String
  ) throws -> OriginError {
    let (name, columns) = (quoted(table.name), table.key.map(\.column))
    let names = columns.map(quoted).joined(separator: ", ")
    let rows = try connection.rows(
      """
      SELECT seedbank_first, seedbank_row, \(names) FROM
        (SELECT \(rowid) AS seedbank_row, *, min(\(rowid)) OVER (PARTITION BY \(key)) AS seedbank_first FROM \(name))
      WHERE seedbank_first < seedbank_row ORDER BY 1, 2 LIMIT 1
      """)
    let row = rows.first ?? []
    let places = row.prefix(2).compactMap(\.number).map(place)
    return .data(
      "table \"\(table.name)\": two rows have the key \(rowDescription(columns, Array(row.dropFirst(2)))), at "
        + "\(places.joined(separator: " and ")): remove one of them")
  }

  func finish(_ record: FeedRecord) throws {
    try connection.execute("CREATE TABLE \(Self.recordTable)(record TEXT)")
    try connection.execute(
      "INSERT INTO \(Self.recordTable) VALUES (?)",
      .text(String(decoding: try JSONEncoder().encode(record), as: UTF8.self)))
    try connection.execute("COMMIT")
    connection.emptyCache()
    try File(temporary, for: .reading).sync()
    try DurableFile.moveIntoPlace(temporary, path)
  }

  /// Removes the temporary file, unless the database is finished.
  func discard() {
    connection.rollBack()
    try? Folder.remove(temporary)
  }
}

/// A record of how a staging database was loaded, stored in that database.
struct FeedRecord: Codable {
  struct Table: Codable {
    let name: String
    /// The text columns to which neither a model nor the operator assigns a type.
    var untyped: [String] = []
    /// The name and the digest of each file. The name determines the format.
    var files: [String] = []
  }

  var listing: String
  /// A hash that differs if other settings or models would turn the same files into different rows.
  var form: String
  /// The path or the program from which the rows came.
  var source: String
  var loadedAt: Int
  /// Whether an identical later listing proves that no file was written in between.
  var isSettled: Bool
  /// The folder that the program filled; empty for a feed without a program.
  var folder = ""
  var tables: [Table] = []

  /// A hash of the files, settings and models. Equal hashes mean equal rows.
  var contents: String {
    let parts = tables.flatMap { [$0.name] + $0.files }
    return SHA256Digest.of(JSONValue(strings: [form] + parts).bytes).hex
  }
}

extension FeedRecord {
  /// `nil` if the database has no record.
  init?(in staging: Connection) {
    guard case .text(let text)? = try? staging.value("SELECT record FROM \(FeedStaging.recordTable)"),
      let record = try? JSONDecoder().decode(FeedRecord.self, from: Data(text.utf8))
    else { return nil }
    self = record
  }
}
