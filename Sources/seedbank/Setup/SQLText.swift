/// A CREATE statement as its author wrote it, split just far enough to take parts out of it.
///
/// Cutting keeps all else (checks, generated columns, comments) as it was; whoever cuts proves the result by
/// applying it.
struct SQLText {
  private let bytes: [UInt8]
  private let tokens: [Token]

  private struct Token {
    let range: Range<Int>
    /// Bare words in upper case, punctuation as it is; empty for what is quoted, which is never a keyword.
    let keyword: String
  }

  init(_ sql: String) {
    bytes = Array(sql.utf8)
    var scanner = Scanner(bytes)
    tokens = scanner.all()
  }

  /// Without AUTOINCREMENT, which nobody needs where rows arrive with their keys. SQLite reserves the word.
  var withoutAutoincrement: String {
    cutting(tokens.filter { $0.keyword == "AUTOINCREMENT" }.map(\.range))
  }

  /// Without the references at those places of the text, counted from 0.
  func cuttingReferences(_ places: Set<Int>) -> String {
    let all = tokens.indices.filter { tokens[$0].keyword == "REFERENCES" }
    return cutting(all.enumerated().filter { places.contains($0.offset) }.map { clause(around: $0.element) })
  }

  private func cutting(_ ranges: [Range<Int>]) -> String {
    var rest = bytes
    for range in ranges.reversed() {
      var start = range.lowerBound
      // Never a line's end: it may be what ends a comment.
      while start > 0, rest[start - 1] == UInt8(ascii: " ") { start -= 1 }
      rest.removeSubrange(start..<range.upperBound)
    }
    return String(decoding: rest, as: UTF8.self)
  }
}

// MARK: - References

extension SQLText {
  private func keyword(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].keyword : "" }

  /// The whole constraint: with its name, with FOREIGN KEY (…) and the comma before where it is the table's.
  private func clause(around references: Int) -> Range<Int> {
    var first = references
    if let foreign = foreignKey(before: references) { first = foreign }
    if keyword(first - 2) == "CONSTRAINT" { first -= 2 }
    if keyword(references - 1) == ")", keyword(first - 1) == ",", first != references { first -= 1 }
    return tokens[first].range.lowerBound..<tokens[last(of: references)].range.upperBound
  }

  private func foreignKey(before references: Int) -> Int? {
    guard keyword(references - 1) == ")" else { return nil }
    let open = opening(of: references - 1)
    return keyword(open - 1) == "KEY" && keyword(open - 2) == "FOREIGN" ? open - 2 : nil
  }

  /// The last token of `REFERENCES parent (columns) ON DELETE … MATCH … DEFERRABLE …`.
  private func last(of references: Int) -> Int {
    var next = references + 2
    if keyword(next) == "(" { next = closing(of: next) + 1 }
    while let length = actionLength(at: next) { next += length }
    return min(next, tokens.count) - 1
  }

  private func actionLength(at index: Int) -> Int? {
    switch (keyword(index), keyword(index + 1), keyword(index + 2)) {
    case ("ON", _, "SET"), ("ON", _, "NO"): 4
    case ("ON", _, _): 3
    case ("MATCH", _, _), ("NOT", "DEFERRABLE", _), ("INITIALLY", _, _): 2
    case ("DEFERRABLE", _, _): 1
    default: nil
    }
  }

  private func closing(of open: Int) -> Int { counterpart(of: open, step: 1) }

  private func opening(of close: Int) -> Int { counterpart(of: close, step: -1) }

  private func counterpart(of bracket: Int, step: Int) -> Int {
    var (index, depth) = (bracket, 0)
    while tokens.indices.contains(index) {
      if keyword(index) == "(" { depth += 1 }
      if keyword(index) == ")" { depth -= 1 }
      if depth == 0 { return index }
      index += step
    }
    return bracket
  }
}

// MARK: - Scanning

extension SQLText {
  private struct Scanner {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func all() -> [Token] {
      var tokens: [Token] = []
      while let token = next() { tokens.append(token) }
      return tokens
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
      let text = String(decoding: bytes[start..<offset], as: UTF8.self)
      return Token(range: start..<offset, keyword: text.uppercased())
    }

    /// A doubled quote stands for itself and does not end the token.
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

    private static func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
      default: byte >= 0x80
      }
    }
  }
}
