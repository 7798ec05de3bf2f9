/// Reads a delta change by change, and rejects everything that ``DeltaWriter`` would not write. Holds about one row in memory.
package struct DeltaReader: ~Copyable {
  package let header: DeltaHeader
  private var tokens: DeltaTokens
  private var row = JSONTape()
  private let bytes = LentBytes()
  private var filled: [BorrowedValue] = []
  private var place = Place.betweenTables
  private var table = DeltaTable()

  private enum Place { case betweenTables, filled, deletes, inserts, updates, finished }

  package init(_ document: [UInt8]) throws { try self.init(DocumentPieces.of(document)) }

  /// Reads the header. The document arrives in pieces; errors from their source are rethrown unchanged.
  package init(_ pieces: @escaping DocumentPieces.Source) throws {
    var tokens = DeltaTokens(pieces)
    do { header = try Self.header(&tokens) } catch { throw DeltaError.about(error) }
    self.tokens = tokens
  }

  /// Returns the next change, or ``DeltaEvent/end`` at the end of the document. ``read(into:)`` reads the change's row.
  package mutating func next() throws -> DeltaEvent {
    do {
      switch place {
      case .finished: return .end
      case .betweenTables: return try betweenTables()
      case .filled, .deletes, .inserts, .updates: return try rowOrEnd()
      }
    } catch { throw DeltaError.about(error) }
  }

  private mutating func betweenTables() throws -> DeltaEvent {
    switch try tokens.next() {
    case .beginObject: return try openTable()
    case .endArray:
      try tokens.expect(.endObject)
      try tokens.expect(.end)
      place = .finished
      return .end
    default: throw tokens.malformed("expected a table")
    }
  }

  private mutating func openTable() throws -> DeltaEvent {
    table.name = try tokens.string("table")
    table.key = try tokens.strings("key")
    table.columns = try tokens.strings("columns")
    try tokens.expectArray("sets")
    table.sets = []
    while try tokens.next() == .beginArray { table.sets.append(try tokens.restOfStrings()) }
    try openRows()
    return .table(table)
  }

  private mutating func openRows() throws {
    let name = try tokens.next()
    let isFilled = name == .name("fill") && header.additions != nil
    guard isFilled || name == .name("delete") else {
      throw tokens.malformed("expected the member \"delete\"")
    }
    try tokens.expect(.beginArray)
    table.fill = isFilled ? try tokens.restOfStrings() : []
    if isFilled {
      guard !table.fill.isEmpty else { throw tokens.malformed("expected the name of a column to fill") }
      try tokens.expectArray("filled")
    }
    place = isFilled ? .filled : .deletes
  }

  private mutating func rowOrEnd() throws -> DeltaEvent {
    guard try tokens.nextValue(&row) == .value else {
      try endRows()
      return try next()
    }
    if place == .filled { return try filledRow() }
    guard row.kind(0) == .array else { throw malformed(0, "expected a row") }
    switch place {
    case .deletes: return try event(.delete, width: table.key.count)
    case .inserts: return try event(.insert, width: table.columns.count)
    default:
      let number = row.count(0) > 0 && row.kind(1) == .integer ? Int(exactly: row.integer(1)) : nil
      guard let number, table.sets.indices.contains(number) else {
        throw malformed(0, "expected an update that begins with the number of a column set")
      }
      return try event(.update(number), width: 1 + table.key.count + table.sets[number].count)
    }
  }

  /// Reads the values of one row to fill, or an array with the number of rows to skip.
  private mutating func filledRow() throws -> DeltaEvent {
    if row.kind(0) == .array, row.count(0) == 1, row.kind(1) == .integer,
      let count = Int(exactly: row.integer(1)), count > 0
    {
      return .skip(count)
    }
    filled.removeAll(keepingCapacity: true)
    bytes.clear()
    while true {
      guard let value = value(0) else { throw notAValue(0, of: table.fill[filled.count]) }
      // Copies text, because it points into the document's current piece, and the next value may be in another.
      if case .text(let text) = value { filled.append(.text(bytes.copy(text))) } else { filled.append(value) }
      guard filled.count < table.fill.count else { return .fill }
      guard try tokens.nextValue(&row) == .value else {
        throw tokens.malformed("table \"\(table.name)\": expected a value for each column to fill")
      }
    }
  }

  private mutating func event(_ event: DeltaEvent, width: Int) throws(JSONError) -> DeltaEvent {
    guard row.count(0) == width else {
      throw malformed(0, "a row of \(row.count(0)) values, expected \(width)", key: keyText)
    }
    return event
  }

  private mutating func endRows() throws {
    switch place {
    case .filled:
      try tokens.expectArray("delete")
      place = .deletes
    case .deletes:
      try tokens.expectArray("insert")
      place = .inserts
    case .inserts:
      try tokens.expectArray("update")
      place = .updates
    default:
      try tokens.expect(.endObject)
      place = .betweenTables
    }
  }

  // MARK: Rows

  /// Lends the row's values until the next call: the filled columns of a fill, the key of a delete, or the whole row
  /// of an insert. An update's values are the key and the set's columns.
  package mutating func read(into values: inout [BorrowedValue]) throws(DeltaError) {
    if place == .filled {
      values = filled
      return
    }
    values.removeAll(keepingCapacity: true)
    bytes.clear()
    var index = firstValue
    while index < row.end(of: 0) {
      guard let value = value(index) else { throw DeltaError(notAValue(index, of: columns[values.count])) }
      values.append(value)
      index = row.end(of: index)
    }
  }

  /// An update's first element is the number of its set.
  private var firstValue: Int { place == .updates ? 2 : 1 }

  private var columns: [String] {
    switch place {
    case .deletes: table.key
    case .inserts: table.columns
    default: table.key + table.sets[Int(row.integer(1))]
    }
  }

  /// The row in messages: its key values, or as many of them as an incomplete row contains.
  private var keyText: String {
    mutating get {
      var (index, parts) = (firstValue, [String]())
      for column in columns where index < row.end(of: 0) {
        if table.key.contains(column), let value = value(index) { parts.append("\(column) = \(value.owned)") }
        index = row.end(of: index)
      }
      return parts.joined(separator: ", ")
    }
  }

  private func notAValue(_ index: Int, of column: String) -> JSONError {
    malformed(index, "column \"\(column)\": not a valid column value")
  }

  private func malformed(_ index: Int, _ reason: String, key: String = "") -> JSONError {
    let place = "table \"\(table.name)\"\(key.isEmpty ? "" : ", row \(key)")"
    return JSONError(at: row.offset(index), "\(place): \(reason)")
  }

  private mutating func value(_ index: Int) -> BorrowedValue? {
    switch row.kind(index) {
    case .null: return .null
    case .integer where DeltaScalar.isExact(row.integer(index)): return .integer(row.integer(index))
    case .real: return .real(row.real(index))
    case .string: return .text(tokens.scanner.text(index, of: row))
    case .object where row.count(index) == 1: return taggedValue(index + 1)
    default: return nil
    }
  }

  private mutating func taggedValue(_ tag: Int) -> BorrowedValue? {
    guard row.kind(tag + 1) == .string else { return nil }
    let text = tokens.scanner.text(tag + 1, of: row)
    let name = tokens.scanner.text(tag, of: row)
    if name.elementsEqual(DeltaScalar.integerTag.utf8) {
      return DeltaScalar.taggedInteger(text).map { .integer($0) }
    }
    if name.elementsEqual(DeltaScalar.realTag.utf8) { return DeltaScalar.taggedReal(text).map { .real($0) } }
    guard name.elementsEqual(DeltaScalar.blobTag.utf8) else { return nil }
    return bytes.fill(Base64.size(ofDecoded: text)) { Base64.decode(text, to: $0) }.map { .blob($0) }
  }

  // MARK: Header

  private static func header(_ tokens: inout DeltaTokens) throws -> DeltaHeader {
    try tokens.expect(.beginObject)
    let dataset = try DatasetName(tokens.string("dataset"))
    let major = try tokens.number("series")
    let header = DeltaHeader(
      series: try SeedSeries(dataset, major: major),
      model: try ModelVersion(tokens.string("model")),
      schema: try SHA256Digest(hex: tokens.string("schema")),
      from: try SeedVersion(tokens.number("from")),
      to: try SeedVersion(tokens.number("to")),
      digest: try SHA256Digest(hex: tokens.string("digest")),
      additions: try additions(&tokens))
    try tokens.expect(.beginArray)
    return header
  }

  /// Reads the additions, if any, and the name `changes`.
  private static func additions(_ tokens: inout DeltaTokens) throws -> SchemaAdditions? {
    let name = try tokens.next()
    if name == .name("changes") { return nil }
    guard name == .name("additions") else { throw tokens.malformed("expected the member \"changes\"") }
    try tokens.expect(.beginObject)
    let before = try SHA256Digest(hex: tokens.string("before"))
    let additions = SchemaAdditions(before: before, statements: try tokens.strings("sql"))
    try tokens.expect(.endObject)
    try tokens.expect("changes")
    return additions
  }
}

package enum DeltaEvent: Hashable, Sendable {
  case table(DeltaTable)
  /// Sets the filled columns of the table's next row in key order.
  case fill
  /// Leaves this many rows unchanged.
  case skip(Int)
  case delete
  case insert
  /// Updates the columns of the set with this number.
  case update(Int)
  case end
}

/// The columns of a table's changes.
package struct DeltaTable: Hashable, Sendable {
  package fileprivate(set) var name = ""
  package fileprivate(set) var key: [String] = []
  package fileprivate(set) var columns: [String] = []
  /// The sets of columns that updates change; an update gives the index of its set.
  package fileprivate(set) var sets: [[String]] = []
  /// The columns that a delta for a new minor fills, row by row.
  package fileprivate(set) var fill: [String] = []
}

package struct DeltaError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ error: any Error) { reason = (error as? DeltaError)?.reason ?? "\(error)" }

  /// Errors of the document's source stay unchanged.
  static func about(_ error: any Error) -> any Error {
    (error as? DocumentSourceError)?.underlying ?? DeltaError(error)
  }

  package var description: String { "not a delta: \(reason)" }
}
