/// The known name that was probably meant.
///
/// One mistake in three letters is tolerated, and so is the beginning of a name.
func nearestName(to text: String, in known: [String]) -> String? {
  let typed = Array(text.lowercased().prefix(longestTyped))
  let ranked = known.map { (name: $0, distance: editDistance(typed, Array($0.lowercased()))) }
  let best = ranked.min { $0.distance < $1.distance }
  if let best, best.distance <= max(1, typed.count / 3) { return best.name }
  guard typed.count >= shortestBeginning else { return nil }
  return known.first { $0.lowercased().starts(with: typed) }
}

/// Characters compared: the distance costs the product of both lengths.
private let longestTyped = 64
/// Characters that a beginning must have.
private let shortestBeginning = 3

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
