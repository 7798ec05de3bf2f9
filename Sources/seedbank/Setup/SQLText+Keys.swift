import SeedDatabase

extension SQLText {
  /// With UNIQUE in place of PRIMARY KEY: the same columns, of which a row may have some at NULL.
  var withUniqueForPrimaryKey: String {
    guard let primary = tokens.indices.first(where: { keyword($0) == "PRIMARY" && keyword($0 + 1) == "KEY" })
    else { return String(decoding: bytes, as: UTF8.self) }
    let isSorted = ["ASC", "DESC"].contains(keyword(primary + 2))
    let clause = tokens[primary].range.lowerBound..<tokens[primary + (isSorted ? 2 : 1)].range.upperBound
    return replacing(clause, with: "UNIQUE")
  }

  /// With a column before the others.
  func adding(firstColumn column: String) -> String {
    guard let start = body?.lowerBound else { return String(decoding: bytes, as: UTF8.self) }
    let place = tokens[start].range.lowerBound
    return replacing(place..<place, with: "\(column), ")
  }

  /// The tokens between the brackets around all columns.
  var body: Range<Int>? {
    tokens.indices.first { keyword($0) == "(" }.map { ($0 + 1)..<counterpart(of: $0, step: 1) }
  }

  private func replacing(_ range: Range<Int>, with text: String) -> String {
    var all = bytes
    all.replaceSubrange(range, with: Array(text.utf8))
    return String(decoding: all, as: UTF8.self)
  }
}
