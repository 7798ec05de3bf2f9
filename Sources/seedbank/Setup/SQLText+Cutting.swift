import Foundation
import SeedDatabase

extension SQLText {
  /// Without AUTOINCREMENT: rows arrive with their keys. SQLite reserves the word, so it stands nowhere else.
  var withoutAutoincrement: String { cutting(tokens.filter { $0.keyword == "AUTOINCREMENT" }.map(\.range)) }

  /// Without the references at these places among all.
  func cuttingReferences(_ places: Set<Int>) -> String {
    let all = entries.flatMap { entry in
      constraints(in: entry).filter { ["REFERENCES", "FOREIGN"].contains(kind(of: $0)) }
        .map { clause($0, in: entry) }
    }
    return cutting(all.enumerated().filter { places.contains($0.offset) }.map(\.element))
  }

  /// Without NOT NULL in a column's definition that has no default.
  var withoutBareNotNull: String {
    let all = constraints(in: tokens.indices)
    let hasDefault = all.contains { kind(of: $0) == "DEFAULT" }
    return cutting(hasDefault ? [] : all.filter { kind(of: $0) == "NOT" }.map(place))
  }

  /// What is left out together with a function: each clause that calls it, as it was written, without commas around.
  func clauses(calling function: String) -> [String] {
    clausePlaces(calling: function).map {
      text($0).trimmingCharacters(in: CharacterSet(charactersIn: ",").union(.whitespacesAndNewlines))
    }
  }

  /// Without the CHECKs, the defaults and the generated columns that call a function.
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

  /// A part of an entry, or the whole with the comma before it, or behind it where it is the first.
  private func clause(_ part: Range<Int>, in entry: Range<Int>) -> Range<Int> {
    guard part == entry else { return place(part) }
    if keyword(entry.lowerBound - 1) == "," { return place(entry.lowerBound - 1..<entry.upperBound) }
    return place(entry.lowerBound..<entry.upperBound + (keyword(entry.upperBound) == "," ? 1 : 0))
  }

  private func cutting(_ places: [Range<Int>]) -> String {
    var (cut, rest) = (RangeSet<Int>(), bytes)
    for place in places {
      // Never a line's end: it may be what ends a comment.
      let start = bytes[..<place.lowerBound].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
      cut.insert(contentsOf: start..<place.upperBound)
    }
    rest.removeSubranges(cut)
    return String(decoding: rest, as: UTF8.self)
  }
}
