package import SeedFormat
package import SeedImport

/// What an operator says of a table's files beside their names.
package struct FeedTable: Hashable, Sendable {
  /// What a column may be said to hold.
  package enum ColumnType: String, Hashable, Sendable, CaseIterable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
  }

  package let table: String
  /// The files' name, in which `*` stands for any letters; `nil` for the table's.
  package let file: String?
  /// Where the rows lie in a document of JSON.
  package let rows: MemberPath
  /// How they lie there; `nil` if the file's name says it.
  package let layout: ImportMapping.Layout?
  /// As it stands in a configuration.
  package let json: JSONValue
  /// Types of columns that no model takes as they are.
  package var types: [String: ColumnType] = [:]
  /// Whether the feed may lack the table's file; it then has no rows.
  package var isOptional = false
  /// Columns that files may lack.
  package var optionalColumns: [String] = []

  package init(
    _ table: String, file: String? = nil, rows: MemberPath = "$", layout: ImportMapping.Layout? = nil,
    json: JSONValue = [:]
  ) {
    (self.table, self.file, self.rows, self.layout, self.json) = (table, file, rows, layout, json)
  }

  /// Whether a file is one of the table's by the name that is said of it.
  func isNamed(_ name: String) -> Bool { file.map { ImportMapping.isFile(name, named: $0) } == true }

  /// How a file of that name is read. What is not said of its CSV is as the file's name and the feed's settings have it.
  func layout(ofFile name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout {
    let usual = FeedName.layout(name, empty: empty)
    guard case .csv(var format)? = layout else { return layout ?? usual ?? .csv(CSVFormat(empty: empty)) }
    let said = json["csv"]
    if case .csv(let named)? = usual, said?["delimiter"] == nil { format.delimiter = named.delimiter }
    if said?["empty"] == nil { format.empty = empty }
    return .csv(format)
  }
}
