import SeedFormat

/// Which type suits all values of a column.
struct ColumnSurvey {
  private var isWhole = true
  private var isNumber = true
  private var isSeen = false
  /// Whether some row has no value.
  private(set) var hasNull: Bool

  /// Some rows may have come that do not know the column.
  init(isAbsent: Bool = false) { hasNull = isAbsent }

  /// Digits that 64 bits hold in any case.
  private static let mostDigits = 18

  mutating func take(_ value: BorrowedValue, isText: Bool) {
    switch value {
    case .null: hasNull = true
    case .integer: isSeen = true
    case .real: (isSeen, isWhole) = (true, false)
    case .blob: (isSeen, isWhole, isNumber) = (true, false, false)
    case .text(let text):
      isSeen = true
      guard isNumber else { return }
      guard !isText, let fraction = Self.fraction(text) else {
        isNumber = false
        return
      }
      if fraction { isWhole = false }
    }
  }

  var type: FeedTable.ColumnType { isSeen && isNumber ? (isWhole ? .integer : .real) : .text }

  /// The known type of a column of that name, where all values fit it; else what they look like.
  func type(known: FeedTable.ColumnType?) -> FeedTable.ColumnType {
    switch known {
    case .text?: .text
    case .integer? where !isSeen || isNumber && isWhole: .integer
    case .real? where !isSeen || isNumber: .real
    default: type
    }
  }

  /// Whether a text that spells a number has a fraction; `nil` for any other text. What begins with a zero, as a code
  /// does, or is longer than any number that somebody counts with, is none.
  private static func fraction(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let zero = UInt8(ascii: "0")
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 &- zero < 10 } }),
      let whole = parts.first, whole.first != zero || whole.count == 1
    else { return nil }
    guard parts.count == 1 else { return true }
    // A zero with a sign would lose it.
    return digits.count <= mostDigits && !(whole.first == zero && text.count > 1) ? false : nil
  }
}
