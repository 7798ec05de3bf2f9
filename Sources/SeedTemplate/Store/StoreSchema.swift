import SeedDatabase
import SeedFormat

/// A store's tables, indexes and triggers, as listed by SQLite.
package struct StoreSchema: Hashable, Sendable {
  package let tables: [Table]
  let indexes: [Index]
  let triggers: [String: String]

  package struct Table: Hashable, Sendable {
    package let name: String
    package let columns: [Column]
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    package let type: String
    /// The column's position in the primary key, from 1; 0 if it is not part of it.
    package let keyPlace: Int64
  }

  struct Index: Hashable, Sendable {
    let name, table: String
    let isUnique: Bool
    /// Empty for an index that is partial, descending, on an expression or with its own collation.
    let columns: [String]
    /// Made by SQLite for a primary key.
    let isOfKey: Bool
  }

  private enum Limit {
    static let tables = 2_000
    static let columns = 2_000
  }

  init(_ connection: Connection) throws {
    let listed = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
    try Self.refuse(listed.map { ($0[0].text, $0[1].text, $0[3].text) })
    let names = listed.filter { $0[0].text == "table" }.map { $0[1].text }
    guard names.count <= Limit.tables else {
      throw TemplateProblem("the store", "it has more than \(Limit.tables) tables")
    }
    tables = try names.map { Table(name: $0, columns: try Self.columns(of: $0, connection)) }
    indexes = try names.flatMap { try Self.indexes(of: $0, connection) }
    triggers = Dictionary(
      listed.filter { $0[0].text == "trigger" }.map { ($0[1].text, $0[3].text) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Rejects stores whose statements show that they are not new.
  private static func refuse(_ listed: [(type: String, name: String, sql: String)]) throws {
    for (type, name, sql) in listed {
      guard ["table", "index", "trigger"].contains(type) else {
        throw TemplateProblem(name, "it is a \(type)")
      }
      guard !name.hasPrefix("ANSCK") else {
        throw TemplateProblem(name, StoreMetadata.mirrored, StoreMetadata.unmirrored)
      }
      guard type == "table" else { continue }
      // SQLite quotes the name of a renamed table, and puts a space before the comma of an added column.
      guard !sql.hasPrefix("CREATE TABLE \""), !sql.contains(" , Z") else {
        throw TemplateProblem(
          name,
          "the table was changed by a migration in place, after which Apple's rules for names no longer hold",
          .makeNew)
      }
      guard sql.hasPrefix("CREATE TABLE \(name) ") || sql.hasPrefix("CREATE TABLE \(name)(") else {
        throw TemplateProblem(name, "it is no ordinary table")
      }
    }
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [Column] {
    let rows = try connection.rows(
      "SELECT name, type, pk, \"notnull\", dflt_value, hidden FROM pragma_table_xinfo(?)", .text(table))
    guard rows.count <= Limit.columns else {
      throw TemplateProblem(table, "it has more than \(Limit.columns) columns")
    }
    return try rows.map { row in
      guard case .integer(let place) = row[2], row[3] == .integer(0), row[4] == .null, row[5] == .integer(0)
      else {
        throw TemplateProblem("\(table).\(row[0].text)", "the column has a constraint, a default or a rule")
      }
      return Column(name: row[0].text, type: row[1].text, keyPlace: place)
    }
  }

  private static func indexes(of table: String, _ connection: Connection) throws -> [Index] {
    try connection.rows("SELECT name, \"unique\", origin, partial FROM pragma_index_list(?)", .text(table))
      .map { row in
        let parts = try connection.rows(
          "SELECT name, \"desc\", coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
          .text(row[0].text))
        let isPlain =
          row[3] == .integer(0)
          && parts.allSatisfy { $0[0] != .null && $0[1] == .integer(0) && $0[2] == .text("BINARY") }
        return Index(
          name: row[0].text, table: table, isUnique: row[1] == .integer(1),
          columns: isPlain ? parts.map { $0[0].text } : [], isOfKey: row[2] == .text("pk"))
      }
  }
}
