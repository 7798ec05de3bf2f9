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

extension SQLText {
  func definition(ofColumn name: String) -> String? { column(name).map { text(place($0)) } }

  /// Appends a column with the layout of the last one; `nil` without columns.
  func adding(lastColumn definition: String) -> String? {
    guard let last = columns.last else { return nil }
    let end = place(last).upperBound
    // A comment on the column's line stays with it.
    let behind = remarkEnd(in: end..<tokens[last.upperBound].range.lowerBound) ?? end
    let added = layout(before: last, isLine: behind > end) + definition
    return replacing(end..<behind, with: ",\(text(end..<behind))\(added)")
  }

  func adding(firstColumn column: String) -> String? {
    entries.first.map(place).map { replacing($0.lowerBound..<$0.lowerBound, with: "\(column), ") }
  }

  func declaring(_ name: String, as type: String) -> String? {
    guard let column = column(name) else { return nil }
    let words = column.lowerBound + 1..<(constraints(in: column).first?.lowerBound ?? column.upperBound)
    return words.isEmpty ? nil : replacing(place(words), with: type)
  }

  /// Replaces PRIMARY KEY with UNIQUE, which allows NULL in the same columns.
  var withUniqueForPrimaryKey: String? {
    tokens.indices.first { keyword($0) == "PRIMARY" && keyword($0 + 1) == "KEY" }.map { primary in
      let isSorted = ["ASC", "DESC"].contains(keyword(primary + 2))
      return replacing(place(primary..<primary + (isSorted ? 3 : 2)), with: "UNIQUE")
    }
  }

  private func column(_ name: String) -> Range<Int>? {
    columns.first { tokens[$0.lowerBound].name(in: bytes).lowercased() == name.lowercased() }
  }

  private func remarkEnd(in gap: Range<Int>) -> Int? {
    text(gap).contains("--") ? bytes[gap].lastIndex(of: UInt8(ascii: "\n")) : nil
  }

  private func layout(before column: Range<Int>, isLine: Bool) -> String {
    let gap = bytes[
      tokens[column.lowerBound - 1].range.upperBound..<tokens[column.lowerBound].range.lowerBound]
    guard let line = gap.lastIndex(of: UInt8(ascii: "\n")) else { return isLine ? "\n  " : " " }
    return String(decoding: gap[line...].filter { $0 <= UInt8(ascii: " ") }, as: UTF8.self)
  }
}

extension SQLText {
  /// Removes AUTOINCREMENT, because rows arrive with their keys. The word is reserved, so it has no other use.
  var withoutAutoincrement: String { cutting(tokens.filter { $0.keyword == "AUTOINCREMENT" }.map(\.range)) }

  /// The collations of columns and keys that other programs define.
  var foreignCollations: [String] {
    entries.flatMap { foreign(in: $0) }.map { tokens[$0 + 1].name(in: bytes) }
  }

  /// The columns that sort by such a collation, in lower case.
  var foreignColumns: Set<String> {
    Set(
      columns.filter { !foreign(in: $0).isEmpty }.map { tokens[$0.lowerBound].name(in: bytes).lowercased() })
  }

  var withoutForeignCollations: String {
    cutting(entries.flatMap { foreign(in: $0) }.map { place($0..<$0 + 2) })
  }

  /// Expressions keep their collations, without which a CHECK may reject rows.
  private func foreign(in entry: Range<Int>) -> [Int] {
    let isKey = ["PRIMARY", "UNIQUE"].contains(kind(of: entry))
    return (isKey ? Array(entry) : outside(entry)).filter { index in
      keyword(index) == "COLLATE" && index + 1 < entry.upperBound
        && Collation(rawValue: tokens[index + 1].name(in: bytes).uppercased()) == nil
    }
  }

  func cuttingReferences(_ places: Set<Int>) -> String {
    let all = entries.flatMap { entry in
      constraints(in: entry).filter { ["REFERENCES", "FOREIGN"].contains(kind(of: $0)) }
        .map { clause($0, in: entry) }
    }
    return cutting(all.enumerated().filter { places.contains($0.offset) }.map(\.element))
  }

  /// Removes NOT NULL from a column's definition without a default.
  var withoutBareNotNull: String {
    let all = constraints(in: tokens.indices)
    let hasDefault = all.contains { kind(of: $0) == "DEFAULT" }
    return cutting(hasDefault ? [] : all.filter { kind(of: $0) == "NOT" }.map(place))
  }

  /// Clauses that call a function, as written, without surrounding commas.
  func clauses(calling function: String) -> [String] {
    clausePlaces(calling: function).map { place in
      let isMargin = { (letter: Character) in letter == "," || letter.isWhitespace }
      let clause = text(place).drop(while: isMargin)
      return String(clause.reversed().drop(while: isMargin).reversed())
    }
  }

  func cuttingClauses(calling function: String) -> String { cutting(clausePlaces(calling: function)) }

  private func clausePlaces(calling function: String) -> [Range<Int>] {
    entries.flatMap { entry in
      let calls = constraints(in: entry).filter { constraint in
        constraint.contains { keyword($0) == function.uppercased() && keyword($0 + 1) == "(" }
      }
      let isWhole =
        calls.reduce(0) { $0 + $1.count } == entry.count
        || calls.contains { ["GENERATED", "AS"].contains(kind(of: $0)) }
      return isWhole ? [clause(entry, in: entry)] : calls.map { clause($0, in: entry) }
    }
  }

  /// A part of an entry. A whole entry includes the comma before it, or the one behind it if it is the first.
  private func clause(_ part: Range<Int>, in entry: Range<Int>) -> Range<Int> {
    guard part == entry else { return place(part) }
    if keyword(entry.lowerBound - 1) == "," { return place(entry.lowerBound - 1..<entry.upperBound) }
    return place(entry.lowerBound..<entry.upperBound + (keyword(entry.upperBound) == "," ? 1 : 0))
  }

  private func cutting(_ places: [Range<Int>]) -> String {
    var (cut, rest) = (RangeSet<Int>(), bytes)
    for place in places {
      // Keep line ends: one may end a comment.
      let start = bytes[..<place.lowerBound].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
      cut.insert(contentsOf: start..<place.upperBound)
    }
    rest.removeSubranges(cut)
    return String(decoding: rest, as: UTF8.self)
  }
}

struct SchemaText {
  private(set) var bytes: [UInt8]

  init(_ sql: String) { bytes = Array(sql.utf8) }

  var sql: String { String(decoding: bytes, as: UTF8.self) }

  /// Replaces a table's CREATE statement with the result of `change`; returns false without a table or result.
  mutating func changeTable(_ name: String, _ change: (SQLText) -> String?) -> Bool {
    guard let range = statement(ofTable: name),
      let changed = change(SQLText(String(decoding: bytes[range], as: UTF8.self)))
    else { return false }
    bytes.replaceSubrange(range, with: Array(changed.utf8))
    return true
  }

  private func statement(ofTable name: String) -> Range<Int>? {
    let statements = SQLScanner.tokens(of: bytes).split { $0.keyword == ";" }
    return statements.first { Self.table($0, bytes)?.lowercased() == name.lowercased() }.map {
      $0[$0.startIndex].range.lowerBound..<$0[$0.endIndex - 1].range.upperBound
    }
  }

  /// The table's name after `CREATE TABLE IF NOT EXISTS`.
  private static func table(_ statement: ArraySlice<SQLScanner.Token>, _ bytes: [UInt8]) -> String? {
    let words = statement.prefix { $0.keyword != "(" }
    guard words.first?.keyword == "CREATE", words.contains(where: { $0.keyword == "TABLE" }) else {
      return nil
    }
    return words.last?.name(in: bytes)
  }
}
