import SeedDatabase
import SeedFormat

/// Deletes rows with all that goes with them: foreign keys are not enforced during an import, so what `ON DELETE`
/// says is done here. Rows are listed first, in temporary tables, until no further one goes along.
final class RowDeletion {
  private let connection: Connection
  private var lists: [String: DoomedRows] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Lists the table's rows that `rest` finds, which stands behind `SELECT`ed columns in a query.
  func list(_ table: String, _ rest: String) throws {
    let list = try self.list(of: table)
    if try list.take(rest) > 0 { try follow(list) }
  }

  /// How many rows of a table are listed.
  func count(_ table: String) throws -> Int { try lists[table.lowercased()]?.count() ?? 0 }

  /// The values that these columns have in listed rows.
  func values(_ columns: [String], of table: String) throws -> [[SeedValue]] {
    guard let list = lists[table.lowercased()] else { return [] }
    return try connection.rows(
      "SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(quoted(list.table)) WHERE \(list.isListed)"
    )
  }

  /// Deletes all that is listed, and returns how many rows each table lost.
  func run() throws -> [String: Int] {
    for list in lists.values { try clearReferences(to: list) }
    var counts: [String: Int] = [:]
    for list in lists.values {
      try connection.execute("DELETE FROM \(quoted(list.table)) WHERE \(list.isListed)")
      counts[list.table] = connection.changes
      try connection.execute("DROP TABLE \(list.name)")
    }
    lists = [:]
    return counts
  }

  private func list(of table: String) throws -> DoomedRows {
    let known = lists[table.lowercased()]
    let list = try known ?? DoomedRows(table, number: lists.count, connection)
    lists[table.lowercased()] = list
    return list
  }

  // MARK: What references them

  /// What a reference does when its row goes, by its `ON DELETE` clause.
  private struct Follower {
    let table: String
    let columns: [String]
    let parentColumns: [String]
    let action: String

    /// How one of its rows is found by a row that it references.
    var matches: String {
      zip(columns, parentColumns).map {
        "\(quoted(table)).\(quoted($0)) = \(RowDeletion.parent).\(quoted($1))"
      }
      .joined(separator: " AND ")
    }
  }

  /// What a referenced table is called in queries that may also be about itself.
  private static let parent = "seedbank_parent"

  private func follow(_ first: DoomedRows) throws {
    var queue = [first]
    while let parent = queue.popLast() {
      for follower in try followers(of: parent.table) where follower.action == "CASCADE" {
        let list = try list(of: follower.table)
        let rest = """
          FROM \(quoted(parent.table)) AS \(Self.parent) JOIN \(quoted(follower.table)) \
          ON \(follower.matches) WHERE \(parent.isListed(as: Self.parent))
          """
        if try list.take(rest) > 0 { queue.append(list) }
      }
    }
  }

  private func clearReferences(to list: DoomedRows) throws {
    for follower in try followers(of: list.table) where ["SET NULL", "SET DEFAULT"].contains(follower.action)
    {
      let settings = try follower.columns.map {
        "\(quoted($0)) = \(follower.action == "SET NULL" ? "NULL" : try defaultSQL($0, of: follower.table))"
      }
      try connection.execute(
        """
        UPDATE \(quoted(follower.table)) SET \(settings.joined(separator: ", ")) WHERE EXISTS \
        (SELECT 1 FROM \(quoted(list.table)) AS \(Self.parent) \
        WHERE \(follower.matches) AND \(list.isListed(as: Self.parent)))
        """)
    }
  }

  private func defaultSQL(_ column: String, of table: String) throws -> String {
    let value = try connection.value(
      "SELECT dflt_value FROM pragma_table_xinfo(?) WHERE name = ? COLLATE NOCASE", .text(table),
      .text(column))
    return value?.textIfAny ?? "NULL"
  }

  private func followers(of parent: String) throws -> [Follower] {
    let references = try connection.rows(
      #"""
      SELECT DISTINCT child.name, reference.id, reference.on_delete FROM sqlite_schema AS child
      JOIN pragma_foreign_key_list(child.name) AS reference
      WHERE child.type = 'table' AND lower(reference."table") = lower(?)
      """#, .text(parent))
    return try references.map { row in
      let pairs = try connection.rows(
        #"SELECT "from", "to" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#, row[0], row[1])
      // A reference that names no columns means the parent's primary key.
      let key = try connection.rows(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(parent))
      return Follower(
        table: row[0].text, columns: pairs.map { $0[0].text },
        parentColumns: zip(0..., pairs).map { index, pair in
          pair[1].textIfAny ?? (index < key.count ? key[index][0].text : "rowid")
        }, action: row[2].text)
    }
  }
}

/// Rows of one table that are to go, by their rowids, or by their primary keys where they have none.
private final class DoomedRows {
  let table: String
  let name: String
  private let identity: [String]
  private let connection: Connection

  private static let rowidNames = ["rowid", "oid", "_rowid_"]

  init(_ table: String, number: Int, _ connection: Connection) throws {
    (self.table, self.connection) = (table, connection)
    name = "temp.seedbank_doomed_\(number)"
    identity = try Self.identity(of: table, connection)
    let list = identity.indices.map { "i\($0)" }.joined(separator: ", ")
    try connection.execute("DROP TABLE IF EXISTS \(name)")
    try connection.execute("CREATE TABLE \(name)(\(list), PRIMARY KEY (\(list))) WITHOUT ROWID")
  }

  private static func identity(of table: String, _ connection: Connection) throws -> [String] {
    let columns = try connection.rows(
      "SELECT lower(name), name, pk FROM pragma_table_xinfo(?) ORDER BY pk", .text(table))
    let hasRowids =
      try connection.value(
        "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", .text(table)) == .integer(0)
    let names = Set(columns.map { $0[0].text })
    if hasRowids, let rowid = rowidNames.first(where: { !names.contains($0) }) { return [rowid] }
    return columns.filter { $0[2] != .integer(0) }.map { $0[1].text }
  }

  /// Takes in the rows that a query finds, and returns how many are new.
  func take(_ rest: String) throws -> Int {
    let columns = identity.map { "\(quoted(table)).\(quoted($0))" }.joined(separator: ", ")
    try connection.execute("INSERT OR IGNORE INTO \(name) SELECT \(columns) \(rest)")
    return connection.changes
  }

  func count() throws -> Int { Int(try connection.integer("SELECT count(*) FROM \(name)") ?? 0) }

  var isListed: String { isListed(as: table) }

  func isListed(as alias: String) -> String {
    let columns = identity.map { "\(quoted(alias)).\(quoted($0))" }.joined(separator: ", ")
    return
      "(\(columns)) IN (SELECT \(identity.indices.map { "i\($0)" }.joined(separator: ", ")) FROM \(name))"
  }
}
