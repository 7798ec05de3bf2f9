import SeedDatabase
import SeedFormat

/// Deletes rows with their dependents. Foreign keys are not enforced during an import, so `ON DELETE` actions run
/// here. The rows are first collected in temporary tables until no more dependents are found.
final class RowDeletion {
  private let connection: Connection
  private var lists: [String: RowsToDelete] = [:]
  /// Returns an SQL condition for the referencing rows that may be deleted or changed; `nil` allows all.
  var mayFollow: (ForeignKeySchema) -> String? = { _ in nil }

  private var reader: SchemaReader { SchemaReader(connection) }

  init(_ connection: Connection) { self.connection = connection }

  /// Lists the table's rows that a query finds; `rest` is the query without `SELECT` and its columns.
  func list(_ table: String, _ rest: String) throws {
    let list = try self.list(of: table)
    if try list.take(rest) > 0 { try follow(list) }
  }

  func run() throws -> ChangeReport {
    var changes: ChangeReport = [:]
    for list in lists.values { try clearReferences(to: list, &changes) }
    for list in lists.values {
      try connection.execute("DELETE FROM \(quoted(list.table)) WHERE \(list.isListed())")
      changes[list.table, default: TableChanges()].deleted += connection.changes
      try connection.execute("DROP TABLE \(list.name)")
    }
    lists = [:]
    return changes
  }

  private func list(of table: String) throws -> RowsToDelete {
    let list = try lists[table] ?? RowsToDelete(table, number: lists.count, connection)
    lists[table] = list
    return list
  }

  // MARK: References

  /// The tables whose rows may be deleted or changed along with deleted rows of `tables`.
  func dependents(of tables: [String]) throws -> Set<String> {
    var (found, deleted, queue) = (Set<String>(), Set(tables), tables)
    while let table = queue.popLast() {
      for reference in try reader.foreignKeys(to: table) {
        let isDeleted = reference.onDelete == "CASCADE"
        if isDeleted || reference.onDelete == "SET NULL" { found.insert(reference.table) }
        if isDeleted, deleted.insert(reference.table).inserted { queue.append(reference.table) }
      }
    }
    return found
  }

  /// The alias of a referenced table, in queries that may join it with itself.
  private static let parent = "seedbank_parent"

  private func follow(_ first: RowsToDelete) throws {
    var queue = [first]
    while let parent = queue.popLast() {
      for reference in try reader.foreignKeys(to: parent.table) where reference.onDelete == "CASCADE" {
        let list = try list(of: reference.table)
        let rest = """
          FROM \(quoted(parent.table)) AS \(Self.parent) JOIN \(quoted(reference.table)) \
          ON \(Self.matches(reference)) WHERE \(parent.isListed(as: Self.parent))\(andMayFollow(reference))
          """
        if try list.take(rest) > 0 { queue.append(list) }
      }
    }
  }

  private func andMayFollow(_ reference: ForeignKeySchema) -> String {
    mayFollow(reference).map { " AND \($0)" } ?? ""
  }

  /// The SQL condition that joins referencing rows with the referenced row. The referenced column is first, so that its
  /// collation applies.
  private static func matches(_ reference: ForeignKeySchema) -> String {
    zip(reference.columns, reference.parentColumns).flatMap {
      let (child, own) = ("\(quoted(reference.table)).\(quoted($0))", "\(parent).\(quoted($1))")
      // The plus removes the child's affinity, as SQLite does; the first term can use the child's index.
      return ["\(own) = \(child)", "\(own) = +\(child)"]
    }
    .joined(separator: " AND ")
  }

  private func clearReferences(to list: RowsToDelete, _ changes: inout ChangeReport) throws {
    for reference in try reader.foreignKeys(to: list.table) where reference.onDelete == "SET NULL" {
      let settings = reference.columns.map { "\(quoted($0)) = NULL" }.joined(separator: ", ")
      do throws(DatabaseError) {
        try connection.execute(
          "UPDATE OR ABORT \(quoted(reference.table)) SET \(settings) WHERE \(condition(reference, list))")
      } catch {
        guard error.primaryCode == ResultCode.constraint else { throw error }
        throw ImportFailure(
          .references,
          "table \"\(reference.table)\", column \"\(reference.columns.joined(separator: ", "))\": the import deletes "
            + "rows of table \"\(list.table)\", and ON DELETE SET NULL cannot clear the references to them "
            + "(\(error.message)): import the referenced rows too, or change the reference")
      }
      changes[reference.table, default: TableChanges()].updated += connection.changes
    }
  }

  private func condition(_ reference: ForeignKeySchema, _ list: RowsToDelete) -> String {
    let own = lists[reference.table].map { " AND NOT \($0.isListed())" } ?? ""
    return """
      EXISTS (SELECT 1 FROM \(quoted(list.table)) AS \(Self.parent) \
      WHERE \(Self.matches(reference)) AND \(list.isListed(as: Self.parent)))\(own)\(andMayFollow(reference))
      """
  }
}

/// Rows to delete from one table, identified by rowid or, in a table without rowids, by primary key.
private final class RowsToDelete {
  let table: String
  let name: String
  private let identity: [String]
  private let connection: Connection

  init(_ table: String, number: Int, _ connection: Connection) throws {
    (self.table, self.connection) = (table, connection)
    name = "temp.seedbank_doomed_\(number)"
    identity = try Self.identity(of: table, connection)
    let list = identity.indices.map { "i\($0)" }.joined(separator: ", ")
    try connection.execute("DROP TABLE IF EXISTS \(name)")
    try connection.execute("CREATE TABLE \(name)(\(list), PRIMARY KEY (\(list))) WITHOUT ROWID")
  }

  private static func identity(of table: String, _ connection: Connection) throws -> [String] {
    let columns = try connection.rows("SELECT name, pk FROM pragma_table_xinfo(?) ORDER BY pk", .text(table))
    let hasRowids =
      try connection.value(
        "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", .text(table)) == .integer(0)
    if hasRowids, let rowid = RowidName.free(besides: columns.map(\.[0].text)) { return [rowid] }
    return columns.filter { $0[1] != .integer(0) }.map(\.[0].text)
  }

  /// Adds the rows that a query finds, and returns the number of new ones.
  func take(_ rest: String) throws -> Int {
    let columns = identity.map { "\(quoted(table)).\(quoted($0))" }.joined(separator: ", ")
    try connection.execute("INSERT OR IGNORE INTO \(name) SELECT \(columns) \(rest)")
    return connection.changes
  }

  func isListed(as alias: String? = nil) -> String {
    let columns = identity.map { "\(quoted(alias ?? table)).\(quoted($0))" }.joined(separator: ", ")
    return
      "(\(columns)) IN (SELECT \(identity.indices.map { "i\($0)" }.joined(separator: ", ")) FROM \(name))"
  }
}
