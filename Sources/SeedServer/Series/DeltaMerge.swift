import SeedDatabase
import SeedFormat

/// Merges deltas that follow one another into one that leads over all of them.
///
/// All deltas are walked at once in the order of the keys. Of each key the last delta that touched it has the
/// word: its row, or its delete. An insertion that a later delta takes back stays a delete, for whoever enters the
/// merged delta in its midst may have the row.
struct DeltaMerge {
  private let schema: DatabaseSchema

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// The merged delta of documents in the order of applying, as leading from `start`.
  func run(
    _ documents: [[UInt8]], from start: Version
  ) throws -> (document: [UInt8], header: DeltaHeader) {
    let inputs = try documents.map { try DeltaCursor($0) }
    guard let last = inputs.last?.header else { preconditionFailure("a merge of no deltas") }
    var merged = DeltaWriter()
    for table in schema.tables { try merge(table, inputs, into: &merged) }
    for input in inputs { if let unknown = input.table { throw ImportError.unknownTable(unknown) } }
    let header = DeltaHeader(
      series: last.series, model: last.model, schema: last.schema, from: start, to: last.to,
      digest: last.digest)
    return (merged.document(header), header)
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
/// stream.
final class DeltaCursor {
  /// A touched key, with the row that it has now.
  struct Change {
    let key: [SeedValue]
    /// `nil` for a delete.
    let row: [SeedValue]?
  }

  let header: DeltaHeader
  /// The table that stands next.
  private(set) var table: String?
  /// The open table's next change.
  private(set) var change: Change?
  private var reader: DeltaReader
  private var open: OpenTable?
  private var values: [BorrowedValue] = []

  /// The open table, its deletes all read, and the upsert that waits for its turn.
  private struct OpenTable {
    let schema: TableSchema
    let order: KeyOrder
    let columns: MemberNames
    var deletes: ArraySlice<[SeedValue]> = []
    var upsert: [SeedValue]?
  }

  init(_ document: [UInt8]) throws {
    reader = try DeltaReader(document)
    header = reader.header
    try take(try reader.next())
  }

  /// Begins the table that stands next.
  func open(_ schema: TableSchema) throws {
    var open = OpenTable(
      schema: schema, order: KeyOrder(schema), columns: MemberNames(schema.columnNames))
    table = nil
    let key = MemberNames(schema.keyNames)
    var event = try reader.next()
    while event == .delete {
      open.deletes.append(try row(key, schema.keyNames, schema.name))
      event = try reader.next()
    }
    if event == .upsert {
      open.upsert = try row(open.columns, schema.columnNames, schema.name)
    } else {
      try take(event)
    }
    self.open = open
    choose()
  }

  /// Goes to the open table's next change.
  func advance() throws {
    if change?.row == nil {
      open?.deletes.removeFirst()
    } else {
      try readUpsert()
    }
    choose()
  }

  private func readUpsert() throws {
    guard let columns = open?.columns, let schema = open?.schema else { return }
    let event = try reader.next()
    open?.upsert = event == .upsert ? try row(columns, schema.columnNames, schema.name) : nil
    if event != .upsert { try take(event) }
  }

  /// Of the first delete and the waiting upsert the one with the lower key.
  private func choose() {
    guard let open else { return }
    let upsert = open.upsert.map { Change(key: open.schema.keyValues(of: $0), row: $0) }
    let delete = open.deletes.first.map { Change(key: $0, row: nil) }
    guard let upsert, let delete else {
      change = upsert ?? delete
      return
    }
    change = open.order.compare(delete.key, upsert.key) < 0 ? delete : upsert
  }

  private func take(_ event: DeltaEvent) throws {
    switch event {
    case .table(let name, _): table = name
    case .end: table = nil
    case .delete, .upsert: preconditionFailure("the reader yields a table first")
    }
  }

  private func row(_ names: MemberNames, _ expected: [String], _ table: String) throws -> [SeedValue] {
    guard try reader.read(names, into: &values) else {
      throw ImportError.wrongColumns(table: table, found: reader.rowNames, expected: expected)
    }
    return values.map(\.owned)
  }
}
