import SeedDatabase
import SeedFormat

/// Merges deltas that follow one another into one that leads over all of them.
///
/// All deltas are walked at once in the order of the keys. Of each key the last delta that touched it has the
/// word: its row, or its delete. An insertion that a later delta takes back stays a delete, for whoever enters the
/// merged delta in its midst may have the row. Of each delta a row is in memory, however long it is.
struct DeltaMerge {
  private let schema: DatabaseSchema

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// One of the deltas; it is read more than once.
  typealias Document = () throws -> DocumentPieces.Source

  /// Merges documents in the order of applying; returns the header of the merged delta, leading from `start`.
  func run(
    _ documents: [Document], from start: Version, into merged: inout DeltaWriter
  ) throws -> DeltaHeader {
    let inputs = try documents.map(DeltaCursor.init)
    guard let last = inputs.last?.header else { preconditionFailure("a merge of no deltas") }
    for table in schema.tables { try merge(table, inputs, into: &merged) }
    for input in inputs { if let unknown = input.table { throw ImportError.unknownTable(unknown) } }
    return DeltaHeader(
      series: last.series, model: last.model, schema: last.schema, from: start, to: last.to,
      digest: last.digest)
  }

  private func merge(_ table: TableSchema, _ all: [DeltaCursor], into merged: inout DeltaWriter) throws {
    let inputs = all.filter { $0.table == table.name }
    guard !inputs.isEmpty else { return }
    for input in inputs { try input.open(table) }
    merged.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
    let order = KeyOrder(table)
    while let key = lowestKey(inputs, order) {
      var last: DeltaCursor.Change?
      for input in inputs where input.change.map({ order.compare($0.key, key) == 0 }) ?? false {
        last = input.change
        try input.advance()
      }
      if let last { merged.write(last) }
    }
  }

  private func lowestKey(_ inputs: [DeltaCursor], _ order: KeyOrder) -> [SeedValue]? {
    inputs.compactMap(\.change?.key).min { order.compare($0, $1) < 0 }
  }
}

extension DeltaWriter {
  fileprivate mutating func write(_ change: DeltaCursor.Change) {
    if let row = change.row { upsert(row) } else { delete(change.key) }
  }
}

/// One delta, read in the order of its keys: its deletes and its upserts are each sorted, and here they are one
/// stream. Because all deletes of a table stand before its upserts, each kind is read by a reader of its own.
private final class DeltaCursor {
  /// A touched key, with the row that it has now.
  struct Change {
    let key: [SeedValue]
    /// `nil` for a delete.
    let row: [SeedValue]?
  }

  private let deletes: DeltaLane
  private let upserts: DeltaLane
  private var open: (schema: TableSchema, order: KeyOrder)?
  /// The open table's next change.
  private(set) var change: Change?

  init(_ document: DeltaMerge.Document) throws {
    deletes = try DeltaLane(.delete, try document())
    upserts = try DeltaLane(.upsert, try document())
  }

  var header: DeltaHeader { upserts.header }

  /// The table that stands next, behind the open one.
  var table: String? { upserts.table }

  /// Begins the table that stands next.
  func open(_ schema: TableSchema) throws {
    open = (schema, KeyOrder(schema))
    try deletes.open(schema.name, schema.keyNames)
    try upserts.open(schema.name, schema.columnNames)
    choose(schema)
  }

  /// Goes to the open table's next change.
  func advance() throws {
    try (change?.row == nil ? deletes : upserts).advance()
    if let open { choose(open.schema) }
  }

  /// Of the next delete and the next upsert the one with the lower key.
  private func choose(_ schema: TableSchema) {
    let delete = deletes.row.map { Change(key: $0, row: nil) }
    let upsert = upserts.row.map { Change(key: schema.keyValues(of: $0), row: $0) }
    guard let delete, let upsert, let order = open?.order else {
      change = delete ?? upsert
      return
    }
    change = order.compare(delete.key, upsert.key) < 0 ? delete : upsert
  }
}

/// The deletes of a delta, or its upserts.
private final class DeltaLane {
  let header: DeltaHeader
  /// The table that stands next.
  private(set) var table: String?
  /// The open table's next row, or key; `nil` behind its last.
  private(set) var row: [SeedValue]?
  private let wanted: DeltaEvent
  private var reader: DeltaReader
  private var names: (members: MemberNames, table: String, expected: [String])?
  private var values: [BorrowedValue] = []

  init(_ wanted: DeltaEvent, _ document: @escaping DocumentPieces.Source) throws {
    self.wanted = wanted
    reader = try DeltaReader(document)
    header = reader.header
    take(try reader.next())
  }

  func open(_ table: String, _ names: [String]) throws {
    self.names = (MemberNames(names), table, names)
    self.table = nil
    try advance()
  }

  /// Goes to the next row of its kind, over those of the other.
  func advance() throws {
    row = nil
    while table == nil {
      let event = try reader.next()
      if event == wanted { return try read() }
      if event == .end { return }
      take(event)
    }
  }

  private func take(_ event: DeltaEvent) { if case .table(let name, _) = event { table = name } }

  private func read() throws {
    guard let names else { return }
    guard try reader.read(names.members, into: &values) else {
      throw ImportError.wrongColumns(
        table: names.table, found: reader.rowNames, expected: names.expected)
    }
    row = values.map(\.owned)
  }
}
