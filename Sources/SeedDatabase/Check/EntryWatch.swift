import SeedFormat

/// Sees to it that entries come in their order, and that those of a unique index differ.
struct EntryWatch: ~Copyable {
  private let index: ComparedIndex
  private let table: String
  private let places: [Int]
  /// The entry before, empty at the start, and where its texts are kept.
  private var previous: [BorrowedValue] = []
  private let bytes = LentBytes()

  /// - Parameters:
  ///   - index: Whose entries they are.
  ///   - places: Where their values stand in a row, if not where rows of the table have them.
  ///   - table: Its name, for messages.
  init(_ index: ComparedIndex, _ places: [Int]? = nil, in table: String) {
    self.index = index
    self.places = places ?? index.places
    self.table = table
  }

  mutating func check(_ row: [BorrowedValue]) throws(NotASeed) {
    if !previous.isEmpty {
      switch index.order.verdict(places, of: row, after: previous) {
      case .rising: break
      case .falling: throw NotASeed("index \"\(index.name)\" of \"\(table)\" is not in order")
      case .same: throw NotASeed("the unique index \"\(index.name)\" of \"\(table)\" has an entry twice")
      }
    }
    bytes.keep(places, of: row, in: &previous)
  }
}
