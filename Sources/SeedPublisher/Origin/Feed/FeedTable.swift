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
  /// The files' name, in which `*` stands for any letters; `nil` where it is the table's.
  package let file: String?
  /// Where the rows lie in a document of JSON.
  package let rows: MemberPath
  /// How they lie there; `nil` where the file's name says it.
  package let layout: ImportMapping.Layout?
  /// What is said of CSV; all else is as the file's name and the feed's settings have it.
  package var csv: [JSONMember] = []
  /// Types of columns that no model takes as they are.
  package var types: [String: ColumnType] = [:]
  /// Whether the feed may lack the table's file; it then has no rows.
  package var isOptional = false
  /// Columns that files may lack.
  package var optionalColumns: [String] = []

  package init(
    _ table: String, file: String? = nil, rows: MemberPath = "$", layout: ImportMapping.Layout? = nil
  ) {
    (self.table, self.file, self.rows, self.layout) = (table, file, rows, layout)
  }

  /// Whether a file is one of the table's by the name that is said of it.
  func isNamed(_ name: String) -> Bool { file.map { ImportMapping.isFile(name, named: $0) } == true }

  /// How a file of that name is read.
  func layout(ofFile name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout {
    let usual = FeedName.layout(name, empty: empty)
    guard case .csv(var format)? = layout else { return layout ?? usual ?? .csv(CSVFormat(empty: empty)) }
    if case .csv(let named)? = usual, !says("delimiter") { format.delimiter = named.delimiter }
    if !says("empty") { format.empty = empty }
    return .csv(format)
  }

  private func says(_ member: String) -> Bool { csv.contains { $0.name == member } }
}

// MARK: JSON

extension FeedTable {
  /// As it stands in a configuration.
  package var json: JSONValue {
    var members = file.map { [JSONMember("file", .string($0))] } ?? []
    if rows != "$" { members.append(JSONMember("rows", .string(rows.description))) }
    members += layoutMembers
    if !types.isEmpty { members.append(JSONMember("types", JSONValue(types) { .string($0.rawValue) })) }
    if isOptional { members.append(JSONMember("optional", true)) }
    if !optionalColumns.isEmpty {
      members.append(JSONMember("optionalColumns", JSONValue(strings: optionalColumns)))
    }
    if let file, members.count == 1 { return .string(file) }
    return .object(members)
  }

  private var layoutMembers: [JSONMember] {
    switch layout {
    case nil: []
    case .array?: [JSONMember("layout", "array")]
    case .single?: [JSONMember("layout", "single")]
    case .lines?: [JSONMember("layout", "lines")]
    case .dictionary(let column)?: [JSONMember("keyColumn", .string(column))]
    case .csv?: [JSONMember("csv", .object(csv))]
    }
  }
}
