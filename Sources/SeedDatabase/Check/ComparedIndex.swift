import SeedFormat

/// An index whose entries can be made from its table's rows, and read without the table.
struct ComparedIndex {
  let name: String
  let parts: [IndexPart]
  /// Where an entry's values stand in a row that ``TableCheck`` reads.
  let places: [Int]
  /// How many of the values must not all be those of another entry, unless one of them is NULL.
  private let unique: Int
  /// Whether it is the table itself, as the primary key of a table without rowids is.
  let isTable: Bool

  /// The index that SQLite lists; `nil` where it is over part of the rows, an expression or what is not stored.
  init?(_ connection: Connection, _ listed: [SeedValue], of columns: [String], _ table: TableSchema) throws {
    name = listed[0].text
    let isTable = table.isWithoutRowid && listed[2].text == "pk"
    self.isTable = isTable
    guard listed[3] == .integer(0) else { return nil }
    let rows = try connection.rows(
      """
      SELECT coalesce(name, CASE cid WHEN -1 THEN ?2 END), upper(coll), "desc", key
      FROM pragma_index_xinfo(?1) ORDER BY seqno
      """,
      .text(name), .text(columns.last ?? ""))
    // Behind its key, the table's own index lists the other columns.
    let parts = rows.filter { !isTable || $0[3] == .integer(1) }.map(IndexPart.init)
    let places = parts.map { part in part.flatMap { columns.firstIndex(of: $0.column) } }
    guard !parts.contains(nil), !places.contains(nil) else { return nil }
    self.parts = parts.compactMap(\.self)
    self.places = places.compactMap(\.self)
    let keys = rows.count { $0[3] == .integer(1) }
    unique = listed[1] == .integer(1) ? keys : rows.count
  }

  /// What an entry is to the one before it.
  enum Order {
    case rising, falling, same
  }

  /// Compares the entry at `places` of a row with the one before it, whose values are `previous`.
  func order(_ places: [Int], of row: [BorrowedValue], after previous: [BorrowedValue]) -> Order {
    for (position, part) in parts.enumerated() {
      let order = KeyOrder.compare(previous[position], row[places[position]], part.collation)
      guard order != 0 else { continue }
      guard (order < 0) != part.isFalling else { return .falling }
      // The first values are the same, and all that must be unique are among them.
      return position >= unique && !previous[..<unique].contains(where: \.isNull) ? .same : .rising
    }
    return .same
  }

  /// All entries, in the order in which they stand.
  func sql(_ table: TableSchema) -> String {
    let values = parts.map { quoted($0.column) }.joined(separator: ", ")
    return "SELECT \(values) FROM \(quoted(table.name)) INDEXED BY \(quoted(name))"
  }

  /// What SQLite says of ``sql(_:)`` where it reads the entries alone, and all of them.
  func plan(_ table: TableSchema) -> String { "SCAN \(table.name) USING COVERING INDEX \(name)" }
}

extension IndexPart {
  fileprivate init?(_ row: [SeedValue]) {
    guard case .text(let column) = row[0], case .text(let coll) = row[1],
      let collation = Collation(rawValue: coll)
    else { return nil }
    self.init(column: column, collation: collation, isFalling: row[2] == .integer(1))
  }
}

/// One value of an index's entries.
struct IndexPart: Hashable {
  let column: String
  let collation: Collation
  let isFalling: Bool
}

/// Checks that entries come in their order, and that those of a unique index differ.
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
      switch index.order(places, of: row, after: previous) {
      case .rising: break
      case .falling: throw NotASeed("index \"\(index.name)\" of \"\(table)\" is out of order")
      case .same: throw NotASeed("the unique index \"\(index.name)\" of \"\(table)\" has a duplicate entry")
      }
    }
    bytes.keep(places, of: row, in: &previous)
  }
}
