import SeedFormat

/// Checks the references of the tables that an import touched, from both ends.
package struct ReferenceCheck {
  private let connection: Connection
  private let schema: DatabaseSchema

  package init(_ connection: Connection, _ schema: DatabaseSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Throws the first row found that references nothing. A touched parent makes its children suspects too.
  package func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    for table in schema.tables where !table.foreignKeys.isEmpty {
      let ends = [table.name] + table.foreignKeys.map(\.parent)
      if ends.contains(where: { touched.contains($0.lowercased()) }) { try check(table) }
    }
  }

  private func check(_ table: TableSchema) throws {
    let violation = try connection.rows(
      #"SELECT rowid, parent, fkid FROM pragma_foreign_key_check(?) LIMIT 1"#, .text(table.name))
    guard let violation = violation.first else { return }
    throw ImportError.references(
      table: table.name, parent: violation[1].text, key: try describe(violation[0], table))
  }

  /// Tables WITHOUT ROWID report no row.
  private func describe(_ rowid: SeedValue, _ table: TableSchema) throws -> String {
    guard case .integer = rowid, !table.isWithoutRowid else { return "unknown" }
    let key = table.keyNames.map(quoted).joined(separator: ", ")
    let row = try connection.rows("SELECT \(key) FROM \(quoted(table.name)) WHERE rowid = ?", rowid).first
    return rowDescription(table.keyNames, row ?? [])
  }
}
