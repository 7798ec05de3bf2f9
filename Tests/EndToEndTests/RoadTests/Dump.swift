import Foundation

/// Contents of a seed, read by sqlite3.
enum Dump {
  /// Every row of all tables, including the seed's own, as sqlite3 quotes them.
  static func rows(of file: String) throws -> [String: String] {
    let names = try Tool.sqlite(
      file,
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%';"
    )
    var rows: [String: String] = [:]
    for name in names.split(separator: "\n").map(String.init) {
      rows[name] = try Tool.sqlite(file, ".mode quote\nSELECT * FROM \"\(name)\" ORDER BY 1, 2;")
    }
    return rows
  }

  /// Every definition of a table, an index or a view.
  static func schema(of file: String) throws -> String {
    try Tool.sqlite(file, "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2;")
  }

  /// The current file of a store that `pull` made.
  static func file(ofStore store: String) throws -> String {
    let name = try String(contentsOfFile: "\(store)/CURRENT", encoding: .utf8)
    return "\(store)/generations/\(name.trimmingCharacters(in: .whitespacesAndNewlines))/seed.sqlite"
  }
}
