package import SeedFormat
package import SeedImport

package struct FeedTable: Hashable, Sendable {
  /// The types that the configuration may give a column.
  package enum ColumnType: String, Hashable, Sendable, CaseIterable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
  }

  package let table: String
  /// The files' name, in which `*` matches any characters; `nil` for the table's name.
  package let file: String?
  /// The path to the rows in a JSON document.
  package let rows: MemberPath
  /// The format; `nil` if the file's name determines it.
  package let layout: ImportMapping.Layout?
  package let json: JSONValue
  /// Types of columns that no model takes directly.
  package var types: [String: ColumnType] = [:]
  /// Whether the feed may lack the table's file. The table then has no rows.
  package var isOptional = false
  /// Columns that files may lack.
  package var optionalColumns: [String] = []

  package init(
    _ table: String, file: String? = nil, rows: MemberPath = "$", layout: ImportMapping.Layout? = nil,
    json: JSONValue = [:]
  ) {
    (self.table, self.file, self.rows, self.layout, self.json) = (table, file, rows, layout, json)
  }

  func isNamed(_ name: String) -> Bool { file.map { ImportMapping.isFile(name, named: $0) } == true }

  /// The format of a file with that name. Its CSV settings override the name's and the feed's.
  func layout(ofFile name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout {
    let usual = FeedName.layout(name, empty: empty)
    guard case .csv(var format)? = layout else { return layout ?? usual ?? .csv(CSVFormat(empty: empty)) }
    let said = json["csv"]
    if case .csv(let named)? = usual, said?["delimiter"] == nil { format.delimiter = named.delimiter }
    if said?["empty"] == nil { format.empty = empty }
    return .csv(format)
  }
}
