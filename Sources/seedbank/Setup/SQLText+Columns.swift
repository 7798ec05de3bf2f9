import SeedDatabase

extension SQLText {
  /// The column's definition as it was written.
  func definition(ofColumn name: String) -> String? {
    columns.first { self.name($0.lowerBound).lowercased() == name.lowercased() }.map(text)
  }

  /// With a column behind the others, laid out as the one before it; `nil` where there is none.
  func adding(lastColumn definition: String) -> String? {
    guard let last = columns.last else { return nil }
    let end = tokens[last.upperBound - 1].range.upperBound
    // A remark on the column's line stays with it.
    let place = remarkEnd(in: end..<tokens[last.upperBound].range.lowerBound) ?? end
    let added = layout(before: last, isLine: place > end) + definition
    return String(
      decoding: bytes[..<end] + [UInt8(ascii: ",")] + bytes[end..<place] + Array(added.utf8)
        + bytes[place...],
      as: UTF8.self)
  }

  /// With another type for a column.
  func declaring(_ name: String, as type: String) -> String? {
    guard let column = columns.first(where: { self.name($0.lowerBound).lowercased() == name.lowercased() })
    else {
      return nil
    }
    let words = column.dropFirst().prefix { !Self.behindType.contains(keyword($0)) }
    guard let first = words.first, let last = words.last else { return nil }
    var rest = bytes
    rest.replaceSubrange(
      tokens[first].range.lowerBound..<tokens[last].range.upperBound, with: Array(type.utf8))
    return String(decoding: rest, as: UTF8.self)
  }

  /// Without NOT NULL in a column's definition that has no default.
  var withoutBareNotNull: String {
    guard !tokens.contains(where: { $0.keyword == "DEFAULT" }),
      let word = tokens.indices.first(where: { keyword($0) == "NOT" && keyword($0 + 1) == "NULL" })
    else { return String(decoding: bytes, as: UTF8.self) }
    return cutting([tokens[word].range.lowerBound..<tokens[word + 1].range.upperBound])
  }

  private static let constraints: Set<String> = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]

  private static let behindType = constraints.union([
    "NOT", "NULL", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS",
  ])

  private var columns: [Range<Int>] {
    guard let body else { return [] }
    let commas = commas(in: body)
    return zip([body.lowerBound] + commas.map { $0 + 1 }, commas + [body.upperBound])
      .map { $0..<$1 }.filter { !$0.isEmpty && !Self.constraints.contains(keyword($0.lowerBound)) }
  }

  private func name(_ token: Int) -> String { tokens[token].name(in: bytes) }

  private func text(_ range: Range<Int>) -> String {
    let bounds = tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
    return String(decoding: bytes[bounds], as: UTF8.self)
  }

  /// Where the line ends that holds the last remark of the gap.
  private func remarkEnd(in gap: Range<Int>) -> Int? {
    let hasRemark = String(decoding: bytes[gap], as: UTF8.self).contains("--")
    return hasRemark ? bytes[gap].lastIndex(of: UInt8(ascii: "\n")) : nil
  }

  /// The white space before a column, from its line's end on.
  private func layout(before column: Range<Int>, isLine: Bool) -> String {
    let gap = bytes[
      tokens[column.lowerBound - 1].range.upperBound..<tokens[column.lowerBound].range.lowerBound]
    guard let line = gap.lastIndex(of: UInt8(ascii: "\n")) else { return isLine ? "\n  " : " " }
    return String(decoding: gap[line...].filter { $0 <= UInt8(ascii: " ") }, as: UTF8.self)
  }
}

/// A schema's text, statement by statement.
struct SchemaText {
  private(set) var bytes: [UInt8]

  init(_ sql: String) { bytes = Array(sql.utf8) }

  var sql: String { String(decoding: bytes, as: UTF8.self) }

  /// Puts what `change` makes of a table's CREATE statement in its place; returns whether there was anything to put.
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

  /// The name behind `CREATE TABLE IF NOT EXISTS`.
  private static func table(_ statement: ArraySlice<SQLScanner.Token>, _ bytes: [UInt8]) -> String? {
    let words = statement.prefix { $0.keyword != "(" }
    guard words.first?.keyword == "CREATE", words.contains(where: { $0.keyword == "TABLE" }) else {
      return nil
    }
    return words.last?.name(in: bytes)
  }
}
