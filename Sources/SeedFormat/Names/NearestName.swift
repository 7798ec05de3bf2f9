/// The known name that was probably meant: at most a third of the letters differ, or `name` is its beginning.
package func nearestName(to name: String, in known: [String], orBeginning: Bool = true) -> String? {
  // Limited, because the edit distance takes time proportional to the product of the lengths.
  let typed = Array(name.lowercased().prefix(64))
  let ranked = known.map { ($0, editDistance(typed, Array($0.lowercased().prefix(64)))) }
  if let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, typed.count / 3) { return best.0 }
  guard orBeginning, typed.count >= shortestBeginning else { return nil }
  return known.first { $0.lowercased().starts(with: typed) }
}

private let shortestBeginning = 3

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
package func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var (beforeLast, last) = ([Int](), Array(0...right.count))
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      let isSwap = row > 0 && column > 0 && letter == right[column - 1] && left[row - 1] == other
      if isSwap { cost = min(cost, beforeLast[column - 1] + 1) }
      current.append(cost)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
