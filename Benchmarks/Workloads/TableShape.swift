import SeedFormat

struct Column {
  enum Kind: String {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
  }

  let name: String
  let kind: Kind

  static func integer(_ name: String) -> Column { Column(name: name, kind: .integer) }
  static func real(_ name: String) -> Column { Column(name: name, kind: .real) }
  static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
}

/// The treatment of existing rows.
enum Policy: String {
  case overwrite, keep, fail
}

/// A table of a workload with its usual SQL. The key's columns come first.
struct TableShape {
  let name: String
  let columns: [Column]
  var keyCount = 1
  var index: String?
  var references: [String: String] = [:]

  var others: [Column] { Array(columns.dropFirst(keyCount)) }
  var columnList: String { columns.map(\.name).joined(separator: ", ") }
  var keyList: String { columns.prefix(keyCount).map(\.name).joined(separator: ", ") }

  var schema: String {
    let lines = columns.map(definition) + ["PRIMARY KEY(\(keyList))"]
    let table = "CREATE TABLE \(name)(\(lines.joined(separator: ", ")))"
    guard let index else { return table }
    return "\(table);\nCREATE INDEX \(name)_\(index) ON \(name)(\(index))"
  }

  private func definition(_ column: Column) -> String {
    let reference = references[column.name].map { " REFERENCES \($0)" } ?? ""
    return "\(column.name) \(column.kind.rawValue) NOT NULL\(reference)"
  }

  var marks: String { columns.map { _ in "?" }.joined(separator: ", ") }
  var insert: String { "INSERT INTO \(name)(\(columnList)) VALUES (\(marks))" }

  /// The conflict clause of an insertion.
  func onConflict(_ policy: Policy) -> String {
    switch policy {
    case .fail: ""
    case .keep: " ON CONFLICT(\(keyList)) DO NOTHING"
    case .overwrite:
      others.isEmpty
        ? " ON CONFLICT(\(keyList)) DO NOTHING"
        : " ON CONFLICT(\(keyList)) DO UPDATE SET "
          + others.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    }
  }
}
