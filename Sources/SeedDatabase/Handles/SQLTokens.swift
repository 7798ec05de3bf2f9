import SeedFormat

/// Splits SQL into tokens, skipping comments and white space.
package struct SQLScanner {
  private let bytes: [UInt8]
  private var offset = 0

  /// A word, a number, a quoted string or name, or one punctuation character.
  package struct Token {
    package let range: Range<Int>
    /// A bare word with its ASCII letters in upper case, or punctuation; empty for a quoted token, which is never a
    /// keyword.
    package let keyword: String

    package var isQuoted: Bool { keyword.isEmpty }

    package func text(in sql: [UInt8]) -> String { String(decoding: sql[range], as: UTF8.self) }

    package func name(in sql: [UInt8]) -> String { SQLTokens.unquoted(text(in: sql)) }
  }

  /// All tokens in order. An unclosed token extends to the end of the text.
  package static func tokens(of sql: [UInt8]) -> [Token] {
    Array(sequence(state: SQLScanner(bytes: sql)) { $0.next() })
  }

  /// The index of the bracket that closes the one at `open`, or the last word's index if none does.
  fileprivate static func closingBracket(of open: Int, in words: [String]) -> Int {
    var depth = 0
    for index in open..<words.count {
      depth += words[index] == "(" ? 1 : words[index] == ")" ? -1 : 0
      if depth == 0 { return index }
    }
    return words.count - 1
  }

  private mutating func next() -> Token? {
    skipSpaceAndComments()
    guard offset < bytes.count else { return nil }
    let start = offset
    switch bytes[offset] {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(until: bytes[offset])
    case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"))
    case let byte where Self.isWord(byte):
      while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
    default: offset += 1
    }
    let word = bytes[start..<offset].lazy.map {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0
    }
    return Token(range: start..<offset, keyword: String(decoding: word, as: UTF8.self))
  }

  /// A doubled quote is a literal quote and does not end the token; a bracket cannot be doubled.
  private mutating func quoted(until quote: UInt8) -> Token {
    let start = offset
    repeat {
      let rest = bytes[(offset + 1)...]
      offset = rest.firstIndex(of: quote).map { $0 + 1 } ?? bytes.count
    } while quote != UInt8(ascii: "]") && offset < bytes.count && bytes[offset] == quote
    return Token(range: start..<offset, keyword: "")
  }

  private mutating func skipSpaceAndComments() {
    while offset < bytes.count {
      if bytes[offset] <= 0x20 {
        offset += 1
      } else if starts("--") {
        offset = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
      } else if starts("/*") {
        offset += 2
        while offset < bytes.count, !starts("*/") { offset += 1 }
        offset = min(offset + 2, bytes.count)
      } else {
        return
      }
    }
  }

  private func starts(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  /// Includes the dot, which numbers need.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."): true
    default: byte >= 0x80
    }
  }
}

/// The tokens of a piece of SQL, used to compare it with another and to extract a few parts.
struct SQLTokens {
  let tokens: [String]

  init(_ sql: String) {
    let bytes = Array(sql.utf8)
    tokens = SQLScanner.tokens(of: bytes).map { $0.isQuoted ? $0.text(in: bytes) : $0.keyword }
  }

  var names: Set<String> { Set(tokens.map { Self.unquoted($0).uppercased() }) }

  var normalized: String { tokens.joined(separator: " ") }

  /// Every `CHECK (…)` and `AS (…)` of a CREATE TABLE, in order, because pragmas do not report them.
  var expressions: [String] {
    tokens.indices.filter { ["CHECK", "AS"].contains(tokens[$0]) && follows("(", $0) }.map { start in
      tokens[start...SQLScanner.closingBracket(of: start + 1, in: tokens)].joined(separator: " ")
    }
  }

  /// The `content=` table of CREATE VIRTUAL TABLE … USING fts5; nil for other virtual tables.
  var externalContent: String? { searchOption("CONTENT") }

  var contentRowid: String? { searchOption("CONTENT_ROWID", after: "CONTENT") }

  /// FTS5 accepts an abbreviated option, as in `c=note`. An abbreviation of both `name` and `other` means `other`.
  private func searchOption(_ name: String, after other: String = "") -> String? {
    guard let using = tokens.firstIndex(of: "USING"), follows("FTS5", using),
      let option = tokens.indices.first(where: {
        name.hasPrefix(tokens[$0]) && !other.hasPrefix(tokens[$0]) && follows("=", $0)
      }),
      option + 2 < tokens.count
    else { return nil }
    let value = Self.unquoted(tokens[option + 2])
    return value.isEmpty ? nil : value
  }

  private func follows(_ token: String, _ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index + 1] == token
  }

  fileprivate static func unquoted(_ token: String) -> String {
    let scalars = token.unicodeScalars
    guard let first = scalars.first, "\"'`[".unicodeScalars.contains(first), scalars.count >= 2 else {
      return token
    }
    let quote = first == "[" ? "]" : String(first)
    return Substring(scalars.dropFirst().dropLast()).replacing(scalars: quote + quote, with: quote)
  }
}

package enum SQLFunctions {
  private static let volatile: Set<String> = [
    "DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH", "STRFTIME", "TIMEDIFF", "RANDOM", "RANDOMBLOB",
  ]
  private static let volatileWords: Set<String> = ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]

  /// Whether the SQL calls a date, time or random-number function.
  package static func areVolatile(in sql: String) -> Bool {
    let tokens = SQLTokens(sql).tokens
    return tokens.contains(where: volatileWords.contains)
      || zip(tokens, tokens.dropFirst()).contains { volatile.contains($0) && $1 == "(" }
  }
}
