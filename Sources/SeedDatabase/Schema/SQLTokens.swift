/// SQL split into tokens, just far enough to compare two texts by what they say and to find a few parts.
struct SQLTokens {
  let tokens: [String]

  init(_ sql: String) {
    let bytes = Array(sql.utf8)
    tokens = SQLScanner.tokens(of: bytes).map { $0.isQuoted ? $0.text(in: bytes) : $0.keyword }
  }

  /// The text without comments and spare white space, bare words in upper case.
  var normalized: String { tokens.joined(separator: " ") }

  /// Every `CHECK (…)` and `AS (…)` of a CREATE TABLE, in order: what its pragmas do not show.
  var expressions: [String] {
    tokens.indices.filter { ["CHECK", "AS"].contains(tokens[$0]) && follows("(", $0) }.map { start in
      tokens[start...closing(of: start + 1)].joined(separator: " ")
    }
  }

  /// The `content=` table of a CREATE VIRTUAL TABLE … USING fts5; `nil` for every other virtual table.
  var externalContent: String? { searchOption("CONTENT") }

  /// The `content_rowid=` column of such a table, where it names one.
  var contentRowid: String? { searchOption("CONTENT_ROWID") }

  private func searchOption(_ name: String) -> String? {
    guard let using = tokens.firstIndex(of: "USING"), follows("FTS5", using),
      let option = tokens.indices.first(where: { tokens[$0] == name && follows("=", $0) }),
      option + 2 < tokens.count
    else { return nil }
    let value = Self.unquoted(tokens[option + 2])
    return value.isEmpty ? nil : value
  }

  private func follows(_ token: String, _ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index + 1] == token
  }

  private func closing(of open: Int) -> Int {
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index] == "(" { depth += 1 }
      if tokens[index] == ")" { depth -= 1 }
      if depth == 0 { return index }
    }
    return tokens.count - 1
  }

  private static func unquoted(_ token: String) -> String {
    guard let first = token.first, "\"'`[".contains(first), token.count >= 2 else { return token }
    let quote = first == "[" ? "]" : String(first)
    return token.dropFirst().dropLast().replacing(quote + quote, with: quote).description
  }
}
