import SeedDatabase
import SeedFormat
import SeedServer

/// Prints what two databases have apart, as it is found.
final class DiffPrinter: @unchecked Sendable {
  // Used by one comparison, on one thread at a time: the rows come one after the other.
  private var left: Int
  private var hidden = 0
  private let isShowing: Bool
  private let asJSON: Bool
  private let console: Console

  /// Shows at most `limit` rows.
  init(limit: Int, asJSON: Bool, _ console: Console) {
    left = limit
    isShowing = limit > 0
    self.asJSON = asJSON
    self.console = console
  }

  func tell(_ row: RowDifference) throws {
    guard left > 0 else {
      hidden += 1
      return
    }
    left -= 1
    if asJSON { try console.result(row.json) } else { try console.result(row.line) }
  }

  func summarise(_ tables: [TableComparison], _ sides: DiffSides) throws {
    if asJSON {
      return try console.result(
        [
          "old": .string(sides.old), "new": .string(sides.new), "same": .bool(tables.allSatisfy(\.isSame)),
          "tables": .array(tables.map(\.json)),
        ] as JSONValue)
    }
    if isShowing, hidden > 0 { try console.result("… and \(hidden) more") }
    for table in tables { try console.result(table.line) }
  }
}

extension RowDifference {
  /// The columns that differ; all of them where the row is on one side only.
  private var shown: [Int] {
    guard let old, let new else { return Array(columns.indices) }
    return columns.indices.filter { old[$0] != new[$0] }
  }

  fileprivate var line: String {
    let sign = old == nil ? "+" : new == nil ? "-" : "~"
    let key = zip(table.keyNames, self.key).map { "\($0)=\($1.shown)" }.joined(separator: " ")
    let isKey = Set(table.keyNames)
    let values = shown.filter { !isKey.contains(columns[$0]) || (old != nil && new != nil) }.map { index in
      let sides = [old, new].compactMap { $0?[index].shown }
      return "\(columns[index]): \(sides.joined(separator: " → "))"
    }
    return "\(sign) \(table.name) \(key)" + (values.isEmpty ? "" : "  \(values.joined(separator: ", "))")
  }

  fileprivate var json: JSONValue {
    [
      "table": .string(table.name), "key": object(table.keyNames, key),
      "old": old.map { row in object(shown.map { columns[$0] }, shown.map { row[$0] }) } ?? .null,
      "new": new.map { row in object(shown.map { columns[$0] }, shown.map { row[$0] }) } ?? .null,
    ]
  }

  private func object(_ names: [String], _ values: [SeedValue]) -> JSONValue {
    .object(zip(names, values).map { JSONMember($0, $1.json) })
  }
}

extension SeedValue {
  fileprivate var shown: String {
    switch self {
    case .text(let text): JSONValue.string(text.clipped).text
    default: description
    }
  }
}

extension TableComparison {
  fileprivate var line: String {
    let columns =
      addedColumns.map { "the column \"\($0)\" is new" }
      + removedColumns.map { "the column \"\($0)\" is gone" }
    let rows =
      switch presence {
      case .both: isSame ? "the same" : changes.words
      case .onlyOld: "the table is gone, with \(changes.deleted) rows"
      case .onlyNew: "the table is new, with \(changes.inserted) rows"
      case .otherKey: "has another key: its rows cannot be compared"
      }
    return "\(name): \(([rows] + columns).joined(separator: ", "))"
  }

  fileprivate var json: JSONValue {
    .object(
      [JSONMember("name", .string(name)), JSONMember("presence", .string(presence.rawValue))]
        + changes.members
        + [
          JSONMember("addedColumns", .array(addedColumns.map { .string($0) })),
          JSONMember("removedColumns", .array(removedColumns.map { .string($0) })),
        ])
  }
}
