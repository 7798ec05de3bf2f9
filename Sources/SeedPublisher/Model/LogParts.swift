package import SeedDatabase
import SeedFormat

/// Seedbank's change-log tables and triggers in an operator's SQLite file. Names alone do not identify them, because
/// the operator may have tables called seedbank_logins or seedbank_log_archive.
package struct LogParts {
  package private(set) var triggers: [String] = []
  /// The log tables, and the registry that lists the logged tables.
  package private(set) var tables: [String] = []
  package private(set) var hasRegistry = false

  package static let registry = "seedbank_logged"
  private static let registryColumns = ["number", "source", "keys", "token"]
  /// The first columns of a log table. The logged table's key columns follow.
  private static let logColumns = ["seq", "witness"]

  private static let prefix = "seedbank_log"

  package static func log(_ number: Int) -> String { "\(prefix)_\(number)" }

  package static func trigger(_ number: Int, _ kind: String) -> String { "\(log(number))_\(kind)" }

  /// Reads the schema and the registry, not the logs' rows.
  package init(_ connection: Connection) throws {
    let found = try Self.objects("table", connection)
    hasRegistry =
      try found.contains(Self.registry) && Self.columns(of: Self.registry, connection) == Self.registryColumns
    let listed = try hasRegistry ? connection.rows("SELECT number FROM \(Self.registry)") : []
    var numbers = Set(listed.compactMap(\.[0].number))
    for table in found {
      guard let number = Self.number(of: table), table == Self.log(number) else { continue }
      let columns = try Self.columns(of: table, connection)
      guard columns.prefix(Self.logColumns.count + 1) == Self.logColumns + ["k0"] else { continue }
      numbers.insert(number)
      tables.append(table)
    }
    if hasRegistry { tables.append(Self.registry) }
    // Includes triggers whose log table was dropped, because such a trigger makes every write fail.
    triggers = try Self.objects("trigger", connection).filter { name in
      Self.number(of: name).map(numbers.contains) ?? false
    }
  }

  /// Whether the part belongs to the log or, until an interrupted import is completed, to the import.
  package func owns(_ name: String) -> Bool {
    tables.contains(name) || triggers.contains(name) || name == ReservedTable.unchecked
  }

  private static func objects(_ type: String, _ connection: Connection) throws -> [String] {
    try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = ? AND name LIKE '\(prefix)%' ORDER BY name", .text(type)
    ).map(\.[0].text)
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", .text(table)).map(\.[0].text)
  }

  private static func number(of name: String) -> Int? {
    guard name.hasPrefix("\(prefix)_") else { return nil }
    return Int(name.dropFirst(prefix.utf8.count + 1).prefix { $0.isASCII && $0.isNumber })
  }
}

extension SeedValue {
  var number: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
}
