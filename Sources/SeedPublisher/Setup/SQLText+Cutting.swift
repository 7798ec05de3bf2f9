import SeedDatabase

extension SQLText {
  /// Removes AUTOINCREMENT, because rows arrive with their keys. The word is reserved, so it has no other use.
  var withoutAutoincrement: String { cutting(tokens.filter { $0.keyword == "AUTOINCREMENT" }.map(\.range)) }

  /// Removes the references at these positions.
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

  /// Removes the CHECKs, defaults and generated columns that call a function.
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
