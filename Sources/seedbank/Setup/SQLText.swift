import SeedDatabase

/// A CREATE statement as its author wrote it, split just far enough to take parts out of it.
/// Cutting keeps all else (checks, generated columns, comments) as it was. Prove the result by applying it.
struct SQLText {
  let bytes: [UInt8]
  let tokens: [SQLScanner.Token]

  init(_ sql: String) {
    bytes = Array(sql.utf8)
    tokens = SQLScanner.tokens(of: bytes)
  }

  /// Without AUTOINCREMENT: rows arrive with their keys. SQLite reserves the word, so it stands nowhere else.
  var withoutAutoincrement: String { cutting(tokens.filter { $0.keyword == "AUTOINCREMENT" }.map(\.range)) }

  func cuttingReferences(_ places: Set<Int>) -> String {
    let all = tokens.indices.filter { tokens[$0].keyword == "REFERENCES" }
    return cutting(all.enumerated().filter { places.contains($0.offset) }.map { clause(around: $0.element) })
  }

  func cutting(_ ranges: [Range<Int>]) -> String {
    var rest = bytes
    for range in ranges.reversed() {
      var start = range.lowerBound
      // Never a line's end: it may be what ends a comment.
      while start > 0, rest[start - 1] == UInt8(ascii: " ") { start -= 1 }
      rest.removeSubrange(start..<range.upperBound)
    }
    return String(decoding: rest, as: UTF8.self)
  }

  func keyword(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].keyword : "" }

  /// The whole constraint: with its name, with FOREIGN KEY (…) and the comma before where it is the table's.
  private func clause(around references: Int) -> Range<Int> {
    var first = foreignKey(before: references) ?? references
    if keyword(first - 2) == "CONSTRAINT" { first -= 2 }
    if keyword(references - 1) == ")", keyword(first - 1) == ",", first != references { first -= 1 }
    return tokens[first].range.lowerBound..<tokens[last(of: references)].range.upperBound
  }

  private func foreignKey(before references: Int) -> Int? {
    guard keyword(references - 1) == ")" else { return nil }
    let open = counterpart(of: references - 1, step: -1)
    return keyword(open - 1) == "KEY" && keyword(open - 2) == "FOREIGN" ? open - 2 : nil
  }

  /// The last token of `REFERENCES parent (columns) ON DELETE … MATCH … DEFERRABLE …`.
  private func last(of references: Int) -> Int {
    var next = references + 2
    if keyword(next) == "(" { next = counterpart(of: next, step: 1) + 1 }
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

  func counterpart(of bracket: Int, step: Int) -> Int {
    var depth = 0
    for index in stride(from: bracket, to: step > 0 ? tokens.count : -1, by: step) {
      depth += keyword(index) == "(" ? 1 : keyword(index) == ")" ? -1 : 0
      if depth == 0 { return index }
    }
    return bracket
  }
}
