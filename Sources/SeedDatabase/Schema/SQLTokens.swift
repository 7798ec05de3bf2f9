/// SQL split into tokens, just far enough to compare two texts by what they say and to find a few parts.
struct SQLTokens {
  let tokens: [String]

  init(_ sql: String) {
    var reader = Reader(Array(sql.utf8))
    tokens = reader.all()
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

extension SQLTokens {
  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func all() -> [String] {
      var tokens: [String] = []
      while let token = next() { tokens.append(token) }
      return tokens
    }

    private mutating func next() -> String? {
      skipSpaceAndComments()
      guard offset < bytes.count else { return nil }
      let start = offset
      switch bytes[offset] {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skipQuoted(until: bytes[offset])
      case UInt8(ascii: "["): skipQuoted(until: UInt8(ascii: "]"))
      case let byte where Self.isWord(byte):
        while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
        return text(start).uppercased()
      default: offset += 1
      }
      return text(start)
    }

    private mutating func skipQuoted(until quote: UInt8) {
      offset += 1
      while offset < bytes.count {
        let isQuote = bytes[offset] == quote
        offset += 1
        guard isQuote else { continue }
        // A doubled quote stands for itself and does not end the token.
        guard offset < bytes.count, bytes[offset] == quote, quote != UInt8(ascii: "]") else { return }
        offset += 1
      }
    }

    private mutating func skipSpaceAndComments() {
      while offset < bytes.count {
        if bytes[offset] <= 0x20 {
          offset += 1
        } else if starts("--") {
          while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        } else if starts("/*") {
          offset += 2
          while offset < bytes.count, !starts("*/") { offset += 1 }
          offset = min(offset + 2, bytes.count)
        } else {
          return
        }
      }
    }

    private func starts(_ text: StaticString) -> Bool {
      offset + 1 < bytes.count && text.withUTF8Buffer { bytes[offset] == $0[0] && bytes[offset + 1] == $0[1] }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
        true
      default: byte >= 0x80
      }
    }

    private func text(_ start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }
  }
}
