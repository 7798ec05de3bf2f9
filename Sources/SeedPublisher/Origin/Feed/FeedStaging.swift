import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

import class Foundation.JSONEncoder

/// A new staging database beside the current one, invisible until it is complete.
struct FeedStaging {
  let connection: Connection
  private let path: String
  private let temporary: String

  static let recordTable = "\(ReservedTable.prefix)feed"
  private static let old = "seedbank_old"

  init(_ path: String, copyingFrom hasOld: Bool) throws {
    (self.path, temporary) = (path, path + DurableFile.temporarySuffix)
    try Folder.remove(temporary)
    connection = try Connection(temporary, .creator)
    // A crash discards the file, so it needs no journal. The cache holds 32 MiB of pages.
    try connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768")
    if hasOld { try connection.execute("ATTACH ? AS \(Self.old)", .text(path)) }
    try connection.execute("BEGIN")
  }

  func copy(_ table: String) throws {
    let parts = try connection.rows(
      "SELECT sql FROM \(Self.old).sqlite_schema WHERE lower(tbl_name) = lower(?) AND sql IS NOT NULL ORDER BY rowid",
      .text(table))
    for part in parts { try connection.execute(part[0].text) }
    try connection.execute(
      "INSERT INTO main.\(quoted(table)) SELECT * FROM \(Self.old).\(quoted(table))")
  }

  /// Applies defaults and checks the key after all rows are written. `place` finds a row's place.
  func complete(_ table: FeedSchema.Table, _ place: (Int) -> String) throws {
    for column in table.columns where column.isNotNull {
      guard let value = column.defaultSQL else { continue }
      let name = quoted(column.name)
      try connection.execute("UPDATE \(quoted(table.name)) SET \(name) = (\(value)) WHERE \(name) IS NULL")
    }
    guard !table.key.isEmpty else { return }
    for (column, _) in table.key { try refuseNull(column, table, place) }
    let key = table.key.map { "\(quoted($0.column)) COLLATE \($0.collation.rawValue)" }.joined(
      separator: ", ")
    do {
      try connection.execute(
        "CREATE UNIQUE INDEX \(quoted("\(ReservedTable.prefix)key_\(table.name)")) ON \(quoted(table.name))(\(key))"
      )
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw try doubled(table, key, place)
    }
  }

  private func refuseNull(_ column: String, _ table: FeedSchema.Table, _ place: (Int) -> String) throws {
    let row = try connection.integer(
      "SELECT min(rowid) FROM \(quoted(table.name)) WHERE \(quoted(column)) IS NULL")
    guard let row else { return }
    throw OriginError.data(
      "\(place(Int(row))): table \"\(table.name)\": the key column \"\(column)\" is empty, and each row needs its key"
    )
  }

  private func doubled(
    _ table: FeedSchema.Table, _ key: String, _ place: (Int) -> String
  ) throws -> OriginError {
    let (name, columns) = (quoted(table.name), table.key.map(\.column))
    let names = columns.map(quoted).joined(separator: ", ")
    let rows = try connection.rows(
      """
      SELECT seedbank_first, rowid, \(names) FROM
        (SELECT rowid, *, min(rowid) OVER (PARTITION BY \(key)) AS seedbank_first FROM \(name))
      WHERE seedbank_first < rowid ORDER BY 1, 2 LIMIT 1
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

/// The sources of a staging database, stored in it.
struct FeedRecord: Codable {
  struct Table: Codable {
    let name: String
    /// Differs if the same bytes would become other rows.
    let form: String
    /// Text columns without a type from a model or the operator.
    var untyped: [String] = []
    var digests: [String] = []
    /// The size of its files, expanded.
    var bytes = 0
  }

  var listing: String
  /// Differs if the same files would become other rows.
  var form: String
  /// The path or the program that the rows came from.
  var source: String
  var loadedAt: Int
  /// Whether an identical later listing proves that no file was written in between.
  var isSettled: Bool
  /// The folder that the program filled; empty for a feed without a program.
  var folder = ""
  var tables: [Table] = []

  /// Equal for equal rows.
  var contents: String {
    let parts = tables.flatMap { [$0.name, $0.form] + $0.digests }
    return SHA256Digest.of(JSONValue(strings: [form] + parts).bytes).hex
  }
}
