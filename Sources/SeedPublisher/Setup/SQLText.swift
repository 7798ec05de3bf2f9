import SeedDatabase

/// A CREATE statement as written, split just enough to remove parts. Cutting preserves everything else, such as checks
/// and comments. Prove the result by applying it.
struct SQLText {
  let bytes: [UInt8]
  let tokens: [SQLScanner.Token]
  private let words: [String]

  init(_ sql: String) {
    bytes = Array(sql.utf8)
    tokens = SQLScanner.tokens(of: bytes)
    words = tokens.map(\.keyword)
  }

  func keyword(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

  /// The columns and constraints of a CREATE TABLE, separated by the commas in its brackets.
  var entries: [Range<Int>] {
    guard let open = words.firstIndex(of: "(") else { return [] }
    let end = max(open + 1, SQLScanner.closingBracket(of: open, in: words))
    let commas = outside(open + 1..<end).filter { words[$0] == "," }
    return zip([open] + commas, commas + [end]).map { $0 + 1..<$1 }.filter { !$0.isEmpty }
  }

  var columns: [Range<Int>] { entries.filter { !Self.tableConstraints.contains(keyword($0.lowerBound)) } }

  private static let tableConstraints: Set<String> = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
  private static let constraints = tableConstraints.union([
    "NOT", "NULL", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS",
  ])

  /// An entry's constraints, each with its name and all tokens up to the next one.
  func constraints(in entry: Range<Int>) -> [Range<Int>] {
    let places = outside(entry)
    let words = places.map(keyword)
    let starts = words.indices.filter { at in
      (at == 0 ? Self.tableConstraints : Self.constraints).contains(words[at])
        && !Self.isContinued(words[..<at], by: words[at...])
    }
    return zip(starts, starts.dropFirst().map { places[$0] } + [entry.upperBound]).map { places[$0]..<$1 }
  }

  /// Whether the next word continues the constraint: `SET NULL`, `NOT DEFERRABLE`, `CONSTRAINT name CHECK`,
  /// `FOREIGN KEY (…) REFERENCES`.
  private static func isContinued(_ words: ArraySlice<String>, by rest: ArraySlice<String>) -> Bool {
    pairs.contains([words.last, rest.first]) || rest.starts(with: ["NOT", "DEFERRABLE"])
      || words.dropLast().last == "CONSTRAINT" || words.dropLast(2).last == "FOREIGN"
  }

  private static let pairs: Set<[String?]> = [
    ["SET", "NULL"], ["SET", "DEFAULT"], ["NOT", "NULL"], ["DEFAULT", "NULL"], ["ALWAYS", "AS"],
  ]

  func kind(of constraint: Range<Int>) -> String {
    keyword(constraint.lowerBound + (keyword(constraint.lowerBound) == "CONSTRAINT" ? 2 : 0))
  }

  /// Tokens of a range outside its brackets.
  private func outside(_ range: Range<Int>) -> [Int] {
    var (places, next) = ([Int](), range.lowerBound)
    while next < range.upperBound {
      places.append(next)
      next = keyword(next) == "(" ? SQLScanner.closingBracket(of: next, in: words) + 1 : next + 1
    }
    return places
  }

  func place(_ range: Range<Int>) -> Range<Int> {
    tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
  }

  func text(_ place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }

  func replacing(_ place: Range<Int>, with text: String) -> String {
    var all = bytes
    all.replaceSubrange(place, with: Array(text.utf8))
    return String(decoding: all, as: UTF8.self)
  }
}
