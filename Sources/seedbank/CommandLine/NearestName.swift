/// The known name that was probably meant, or `nil`.
///
/// A slip in about every third letter counts as meant; so does a name that was only begun.
func nearestName(to text: String, in known: [String]) -> String? {
  let typed = Array(text.lowercased().prefix(NearestName.longestTyped))
  let ranked = known.map { (name: $0, distance: editDistance(typed, Array($0.lowercased()))) }
  let best = ranked.min { $0.distance < $1.distance }
  if let best, best.distance <= max(1, typed.count / 3) { return best.name }
  guard typed.count >= NearestName.shortestBeginning else { return nil }
  return known.first { $0.lowercased().starts(with: typed) }
}

private enum NearestName {
  /// Characters compared: the distance costs the product of both lengths.
  static let longestTyped = 64
  /// Characters that a beginning needs to count as one.
  static let shortestBeginning = 3
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other.
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
