/// The known name that was probably meant: at most a third of its letters differ.
package func nearestName(to name: String, among known: [String]) -> String? {
  let typed = Array(name.lowercased().unicodeScalars.prefix(64))
  let ranked = known.map { ($0, distance(typed, Array($0.lowercased().unicodeScalars.prefix(64)))) }
  guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, typed.count / 3) else { return nil }
  return best.0
}

private func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
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
