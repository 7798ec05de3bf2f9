import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// A staging database while it is made, beside the one that is used: nothing of it is seen before it is whole.
struct FeedStaging {
  let connection: Connection
  private let path: String
  private var temporary: String { path + DurableFile.temporarySuffix }
  /// The one that is used is there to copy from.
  private let hasOld: Bool

  /// Kibibytes of pages in memory.
  private static let cacheKibibytes = 32 * 1024
  private static let old = "seedbank_old"

  /// Begins with nothing.
  init(_ path: String, copyingFrom hasOld: Bool) throws {
    (self.path, self.hasOld) = (path, hasOld)
    let temporary = path + DurableFile.temporarySuffix
    try Folder.remove(temporary)
    connection = try Connection(temporary, .creator)
    // What a crash leaves is thrown away, so nothing is kept to undo it.
    try connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -\(Self.cacheKibibytes)")
    if hasOld { try connection.execute("ATTACH ? AS \(Self.old)", .text(path)) }
    try connection.execute("BEGIN")
  }

  // MARK: Tables

  /// Takes a table over as it is.
  func copy(_ table: String) throws {
    let parts = try connection.rows(
      "SELECT sql FROM \(Self.old).sqlite_schema WHERE lower(tbl_name) = lower(?) AND sql IS NOT NULL ORDER BY rowid",
      .text(table))
    for part in parts { try connection.execute(part[0].text) }
    try connection.execute(
      "INSERT INTO main.\(quoted(table)) SELECT * FROM \(Self.old).\(quoted(table))")
  }

  /// What can only be done once a table has all its rows: defaults, and the index over its key.
  func complete(_ table: FeedSchema.Table, _ place: (Int) -> String) throws {
    for column in table.columns where column.isNotNull {
      guard let value = column.defaultSQL else { continue }
      let name = quoted(column.name)
      try connection.execute("UPDATE \(quoted(table.name)) SET \(name) = (\(value)) WHERE \(name) IS NULL")
    }
    for (column, _) in table.key { try refuseNull(column, table, place) }
    guard !table.key.isEmpty else { return }
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
    throw FeedError.nullInKey(table: table.name, column: column, place: place(Int(row)))
  }

  private func doubled(
    _ table: FeedSchema.Table, _ key: String, _ place: (Int) -> String
  ) throws -> FeedError {
    let names = table.key.map { quoted($0.column) }.joined(separator: ", ")
    let rows = try connection.rows(
      """
      SELECT min(rowid), \(names) FROM \(quoted(table.name)) GROUP BY \(key)
      HAVING count(*) > 1 ORDER BY min(rowid) LIMIT 1
      """)
    guard let row = rows.first, case .integer(let first) = row[0] else {
      return .duplicateKey(table: table.name, key: "?", places: [])
    }
    let matches = table.key.map { "\(quoted($0.column)) = ? COLLATE \($0.collation.rawValue)" }
    let statement = try connection.prepare(
      "SELECT min(rowid) FROM \(quoted(table.name)) WHERE \(matches.joined(separator: " AND ")) AND rowid > \(first)"
    )
    try statement.bind(row.dropFirst())
    var places = [place(Int(first))]
    if try statement.step(), case .integer(let second) = try statement.value(0) {
      places.append(place(Int(second)))
    }
    return .duplicateKey(
      table: table.name, key: rowDescription(table.key.map(\.column), Array(row.dropFirst())), places: places)
  }

  // MARK: The end

  /// The table that says what it was made of.
  static let recordTable = "\(ReservedTable.prefix)feed"

  /// Puts it in the place of the one that was used.
  func finish(_ record: FeedRecord) throws {
    try connection.execute("CREATE TABLE \(Self.recordTable)(record TEXT)")
    try connection.execute("INSERT INTO \(Self.recordTable) VALUES (?)", .text(record.json.text))
    try connection.execute("COMMIT")
    connection.emptyCache()
    if hasOld { try connection.execute("DETACH \(Self.old)") }
    try File(temporary, for: .reading).sync()
    try DurableFile.moveIntoPlace(temporary, path)
  }

  /// Leaves nothing behind.
  func discard() {
    connection.rollBack()
    try? Folder.remove(temporary)
  }
}
