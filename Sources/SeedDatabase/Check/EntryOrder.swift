import SeedFormat

/// One value of an index's entries.
struct IndexPart: Hashable {
  let column: String
  let collation: Collation
  let isFalling: Bool
}

/// The order in which the entries of an index stand.
struct EntryOrder {
  private let parts: [IndexPart]
  /// How many of the values must not all be those of another entry, unless one of them is NULL.
  private let unique: Int

  /// What two entries, one behind the other, are to each other.
  enum Verdict {
    case rising, falling, same
  }

  init(_ parts: [IndexPart], unique: Int) {
    self.parts = parts
    self.unique = unique
  }

  /// What the entry at `places` of a row is to the one before it, whose values are `previous`.
  func verdict(_ places: [Int], of row: [BorrowedValue], after previous: [BorrowedValue]) -> Verdict {
    for (position, part) in parts.enumerated() {
      let order = KeyOrder.compare(previous[position], row[places[position]], part.collation)
      guard order != 0 else { continue }
      guard (order < 0) != part.isFalling else { return .falling }
      // The first values are the same, and all that must be unique are among them.
      return position >= unique && !previous[..<unique].contains(where: \.isNull) ? .same : .rising
    }
    return .same
  }
}
