import Foundation
import SeedDatabase

extension SQLText {
  /// What is left out together with a function: each clause that calls it, as it was written, without commas around.
  func clauses(calling function: String) -> [String] {
    clauseRanges(calling: function).map { range in
      let text = String(decoding: bytes[range], as: UTF8.self)
      return text.trimmingCharacters(in: CharacterSet(charactersIn: ",").union(.whitespacesAndNewlines))
    }
  }

  /// Without the CHECKs, the defaults and the generated columns that call a function.
  func cuttingClauses(calling function: String) -> String { cutting(clauseRanges(calling: function)) }

  private func clauseRanges(calling function: String) -> [Range<Int>] {
    let calls = tokens.indices.filter { keyword($0) == function.uppercased() && keyword($0 + 1) == "(" }
    let clauses = Set(calls.compactMap(clause))
    return clauses.filter { inner in !clauses.contains { $0 != inner && $0.contains(inner) } }
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The clause around a token: that of the outermost brackets within the columns' own.
  private func clause(around call: Int) -> Range<Int>? {
    guard let body, body.contains(call), let open = outermostBracket(around: call, in: body) else {
      return nil
    }
    let end = tokens[counterpart(of: open, step: 1)].range.upperBound
    switch keyword(open - 1) {
    case "DEFAULT": return tokens[open - 1].range.lowerBound..<end
    case "CHECK": return tokens[checkStart(open - 1)].range.lowerBound..<end
    case "AS": return column(around: open, in: body)
    default: return nil
    }
  }

  private func outermostBracket(around token: Int, in body: Range<Int>) -> Int? {
    var next = body.lowerBound
    while next < token {
      let end = keyword(next) == "(" ? counterpart(of: next, step: 1) : next
      if end > token { return next }
      next = end + 1
    }
    return nil
  }

  /// With the constraint's name, and the comma before where it is the table's.
  private func checkStart(_ check: Int) -> Int {
    let named = keyword(check - 2) == "CONSTRAINT" ? check - 2 : check
    return keyword(named - 1) == "," ? named - 1 : named
  }

  /// A whole column with the comma before it, or behind it where it is the first.
  private func column(around token: Int, in body: Range<Int>) -> Range<Int> {
    let commas = commas(in: body)
    let before = commas.last { $0 < token }
    let after = commas.first { $0 > token }
    let first = before ?? body.lowerBound
    let last = before == nil ? after ?? body.upperBound - 1 : (after ?? body.upperBound) - 1
    return tokens[first].range.lowerBound..<tokens[last].range.upperBound
  }

  /// Those between columns, not within brackets.
  func commas(in body: Range<Int>) -> [Int] {
    var (commas, next) = ([Int](), body.lowerBound)
    while next < body.upperBound {
      if keyword(next) == "," { commas.append(next) }
      next = keyword(next) == "(" ? counterpart(of: next, step: 1) + 1 : next + 1
    }
    return commas
  }
}
