import SeedDatabase
package import SeedFormat
package import SeedImport

/// The operator's settings for a feed: its source and the format of its files.
package struct FeedSettings: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// A folder, a file or an archive that another process fills.
    case path(String)
    case command([String])

    var text: String {
      switch self {
      case .path(let path): path
      case .command(let words): words.joined(separator: " ")
      }
    }
  }

  /// `nil` if the origin is not a feed.
  package var source: Source?
  package var tables: [FeedTable] = []
  /// The file whose presence marks the feed as complete.
  package var marker: String?
  /// The seconds for which files must be unchanged before they are read. Not used with a marker.
  package var settleSeconds = 5
  /// The meaning of an empty CSV field in tables that do not set it.
  package var emptyFields = CSVFormat.EmptyFields.auto
  /// The limit for the total expanded size of all files.
  package var mostBytes = 100_000_000_000
  package var timeoutSeconds = 600
  /// Seconds after which a running publisher starts the program again.
  package var everySeconds = 3600

  package init() {}

  /// The program's time limit in seconds; `nil` without a program.
  package var commandSeconds: Int? { if case .command? = source { timeoutSeconds } else { nil } }
}

enum FeedName {
  static func bare(_ name: String) -> String { name.hasSuffix(".gz") ? String(name.dropLast(3)) : name }

  static func isText(_ name: String) -> Bool { bare(name).lowercased().hasSuffix(".txt") }

  static func isArchive(_ name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

  static func table(_ name: String) -> String {
    let bare = bare(name)
    return bare.lastIndex(of: ".").map { String(bare[..<$0]) } ?? bare
  }

  /// Returns the file's format; `nil` if the file is not part of a feed.
  static func layout(_ name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout? {
    switch bare(name).lowercased().split(separator: ".").last {
    case "csv", "txt": .csv(CSVFormat(empty: empty))
    case "tsv": .csv(CSVFormat(delimiter: "\t", empty: empty))
    case "ndjson", "jsonl": .lines
    case "json": .array
    default: nil
    }
  }
}

package struct FeedTable: Hashable, Sendable {
  package enum ColumnType: String, Hashable, Sendable, CaseIterable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
  }

  package let table: String
  /// The file name, or a pattern in which `*` matches any characters; `nil` if the file is named after the table.
  package let file: String?
  /// The path to the rows in a JSON document.
  package let rows: MemberPath
  /// The format; `nil` if the file's name determines it.
  package let layout: ImportMapping.Layout?
  package let json: JSONValue
  /// The types of columns that no model reads without a SELECT.
  package var types: [String: ColumnType] = [:]
  /// Whether the feed may lack the table's file. The table then has no rows.
  package var isOptional = false
  /// Columns that files may lack.
  package var optionalColumns: [String] = []

  package init(
    _ table: String, file: String? = nil, rows: MemberPath = "$", layout: ImportMapping.Layout? = nil,
    json: JSONValue = [:]
  ) { (self.table, self.file, self.rows, self.layout, self.json) = (table, file, rows, layout, json) }

  /// Whether SQLite or the staging database reserves the name. For example, a dump may contain `sqlite_sequence`.
  package static func isReserved(_ table: String) -> Bool {
    let name = table.foldedName
    return name.hasPrefix("sqlite_") || name == FeedStaging.recordTable
  }

  func isNamed(_ name: String) -> Bool { file.map { ImportMapping.isFile(name, named: $0) } == true }

  /// Returns the format of a file with that name. The table's CSV settings take precedence over the name and the feed.
  func layout(ofFile name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout {
    let usual = FeedName.layout(name, empty: empty)
    guard case .csv(var format)? = layout else { return layout ?? usual ?? .csv(CSVFormat(empty: empty)) }
    let said = json["csv"]
    if case .csv(let named)? = usual, said?["delimiter"] == nil { format.delimiter = named.delimiter }
    if said?["empty"] == nil { format.empty = empty }
    return .csv(format)
  }
}
