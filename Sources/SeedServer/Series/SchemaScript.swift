import SeedDatabase

/// A schema's statements before any of them runs: only what defines something may stand there.
struct SchemaScript {
  /// What rows and files would be changed by.
  private static let refused: Set<String> = [
    "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "ATTACH", "DETACH", "VACUUM",
  ]

  private let bytes: [UInt8]
  private let statements: [ArraySlice<SQLScanner.Token>]

  init(_ sql: String) {
    bytes = Array(sql.utf8)
    statements = SQLScanner.tokens(of: bytes).split { $0.keyword == ";" }
  }

  /// The first statement that defines nothing, with its line; a trigger, which is refused anyway, ends the search.
  var stranger: (line: Int, word: String)? {
    for statement in statements {
      if statement.contains(where: { $0.keyword == "TRIGGER" }) { return nil }
      guard let first = statement.first, Self.refused.contains(first.keyword) else { continue }
      if !isSearchCommand(statement.map { $0.text(in: bytes) }) {
        return (line(of: first.range.lowerBound), first.keyword)
      }
    }
    return nil
  }

  /// `INSERT INTO search(search, …)`: how FTS5 is set up.
  private func isSearchCommand(_ words: [String]) -> Bool {
    words.count > 4 && words[1].uppercased() == "INTO" && words[3] == "(" && words[2] == words[4]
  }

  private func line(of offset: Int) -> Int { bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1 }
}
