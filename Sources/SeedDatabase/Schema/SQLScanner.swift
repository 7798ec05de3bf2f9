/// Splits SQL into tokens; comments and white space lie between them.
package struct SQLScanner {
  private let bytes: [UInt8]
  private var offset = 0

  /// A word, a number, something quoted, or a single character of punctuation.
  package struct Token {
    /// Where it stands in the text.
    package let range: Range<Int>
    /// Bare words in upper case, punctuation as it is; empty for what is quoted, which is never a keyword.
    package let keyword: String

    /// Whether it is a string or a quoted name.
    package var isQuoted: Bool { keyword.isEmpty }

    /// The token as it was written.
    package func text(in sql: [UInt8]) -> String { String(decoding: sql[range], as: UTF8.self) }
  }

  /// All tokens, in order. What is not closed ends with the text.
  package static func tokens(of sql: [UInt8]) -> [Token] {
    var scanner = SQLScanner(bytes: sql)
    var tokens: [Token] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

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
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    return Token(range: start..<offset, keyword: text.uppercased())
  }

  /// A doubled quote stands for itself and does not end the token; a bracket cannot be doubled.
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

  /// A point belongs to its word: that of a number has to.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."): true
    default: byte >= 0x80
    }
  }
}
