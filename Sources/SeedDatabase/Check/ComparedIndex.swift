import SeedFormat

/// An index whose entries can be read without the table, and computed from the table's rows.
struct ComparedIndex {
  let name: String
  let parts: [IndexPart]
  let places: [Int]
  /// The number of leading values that must be unique, unless one of them is NULL.
  private let unique: Int
  /// True for the primary key of a table without rowids.
  let isTable: Bool

  /// Returns nil if the index is partial, or has an expression or an unstored column.
  init?(_ index: IndexSchema, of columns: [String], _ table: TableSchema) {
    name = index.name
    let isTable = table.isWithoutRowid && index.origin == "pk"
    self.isTable = isTable
    guard !index.isPartial else { return nil }
    // The table's own index lists the other columns after its key.
    let listed = isTable ? index.key : index.parts
    parts = listed.compactMap { part in
      guard let collation = part.collation, let column = part.isRowid ? columns.last : part.column else {
        return nil
      }
      return IndexPart(column: column, collation: collation, isFalling: part.isFalling)
    }
    places = parts.compactMap { columns.firstIndex(of: $0.column) }
    guard places.count == listed.count else { return nil }
    unique = index.isUnique ? index.key.count : index.parts.count
  }

  /// Checks that a row's entry sorts after the previous one and differs from it in the unique values.
  func check(
    _ places: [Int], of row: [BorrowedValue], after previous: [BorrowedValue], in table: String
  ) throws(NotASeed) {
    for (position, part) in parts.enumerated() {
      let order = KeyOrder.compare(previous[position], row[places[position]], part.collation)
      guard order != 0 else { continue }
      guard (order < 0) != part.isFalling else {
        throw NotASeed("index \"\(name)\" of \"\(table)\" is out of order")
      }
      if position < unique || previous[..<unique].contains(where: \.isNull) { return }
      break
    }
    throw NotASeed("the unique index \"\(name)\" of \"\(table)\" has a duplicate entry")
  }

  func sql(_ table: TableSchema) -> String {
    let values = parts.map { quoted($0.column) }.joined(separator: ", ")
    return "SELECT \(values) FROM \(quoted(table.name)) INDEXED BY \(quoted(name))"
  }

  func plan(_ table: TableSchema) -> String { "SCAN \(table.name) USING COVERING INDEX \(name)" }
}

struct IndexPart: Hashable {
  let column: String
  let collation: Collation
  let isFalling: Bool
}

struct EntryWatch: ~Copyable {
  private let index: ComparedIndex
  private let table: String
  private let places: [Int]
  /// The previous entry, empty at the start; `bytes` holds its texts.
  private var previous: [BorrowedValue] = []
  private let bytes = LentBytes()

  /// `places`: the positions of the entries' values, if they differ from those in the table's rows.
  init(_ index: ComparedIndex, _ places: [Int]? = nil, in table: String) {
    self.index = index
    self.places = places ?? index.places
    self.table = table
  }

  mutating func check(_ row: [BorrowedValue]) throws(NotASeed) {
    if !previous.isEmpty { try index.check(places, of: row, after: previous, in: table) }
    bytes.keep(places, of: row, in: &previous)
  }
}
