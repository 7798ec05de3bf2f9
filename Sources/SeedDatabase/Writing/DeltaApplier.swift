package import SeedFormat
package import SeedTrust

package final class DeltaApplier {
  private let connection: Connection
  /// The current schema; a delta that begins a new minor version replaces it.
  package private(set) var schema: DatabaseSchema
  /// The columns that the last delta set, for each table in which it only updated rows.
  package private(set) var updated: [String: Set<String>] = [:]
  private let keyLimit: Int

  /// The parameters are those of ``SeedWriter``.
  package init(_ connection: Connection, _ schema: DatabaseSchema, keyLimit: Int = 0) {
    (self.connection, self.schema, self.keyLimit) = (connection, schema, keyLimit)
  }

  /// Applies a delta piece by piece, without holding it in memory, and stores the new version and digest. Throws if
  /// the delta's header differs from the `signed` description. Pass nil only for a delta without signed metadata,
  /// such as the publisher's own delta before publication.
  package func apply(
    _ pieces: @escaping DocumentPieces.Source, signed: PublishedObject? = nil
  ) throws -> ImportResult {
    var reader = try DeltaReader(pieces)
    if let signed, !signed.isDescribed(by: reader.header) {
      throw ApplyError.notAsSigned(file: signed.fileName, header: reader.header)
    }
    var meta = try SeedTables.meta(connection)
    try check(reader.header, meta)
    if let additions = reader.header.additions {
      schema = try additions.perform(on: connection, leadingTo: reader.header.schema)
      (meta.schema, meta.model) = (schema.hash, reader.header.model)
      try connection.execute("PRAGMA user_version = \(meta.model.userVersion)")
    }
    let writer = try SeedWriter(connection, schema, keyLimit: keyLimit)
    try apply(&reader, with: writer)
    // This delta also sets new columns in every row, which ``updated`` cannot express.
    if reader.header.additions != nil { updated = [:] }
    let result = try writer.finish()
    guard result.digest == reader.header.digest else { throw ApplyError.digestMismatch(at: reader.header.to) }
    meta.version = reader.header.to
    meta.digest = result.digest
    try SeedTables.store(meta, connection)
    return result
  }

  private func check(_ header: DeltaHeader, _ meta: SeedMeta) throws(ApplyError) {
    guard header.series == meta.series, header.schemaBefore == meta.schema else {
      throw ApplyError.otherSeries
    }
    guard header.from <= meta.version, meta.version < header.to else {
      throw ApplyError.outOfRange(from: header.from, to: header.to, version: meta.version)
    }
  }

  private func apply(_ reader: inout DeltaReader, with writer: SeedWriter) throws {
    var current: OpenTable?
    var values: [BorrowedValue] = []
    var hasOnlyUpdates = false
    updated = [:]
    while true {
      let event = try reader.next()
      switch event {
      case .end: return
      case .table(let delta):
        current = try OpenTable(delta, schema, writer, connection)
        updated[delta.name] = Set(delta.sets.joined())
        hasOnlyUpdates = true
      case .skip(let count): try current?.filler?.skip(count)
      case .fill, .delete, .insert, .update:
        guard let current else { preconditionFailure("the reader yields a table first") }
        if hasOnlyUpdates, event == .delete || event == .insert {
          updated[current.name] = nil
          hasOnlyUpdates = false
        }
        try reader.read(into: &values)
        try current.take(event, values)
      }
    }
  }
}

private final class OpenTable {
  let name: String
  private let rows: TableRows
  /// The positions of the columns in each of the delta's column sets.
  private let sets: [[Int]]
  let filler: TableFiller?

  init(_ delta: DeltaTable, _ schema: DatabaseSchema, _ writer: SeedWriter, _ connection: Connection) throws {
    let table = try delta.table(in: schema)
    name = table.name
    sets = try delta.positions(in: table)
    rows = try writer.rows(of: table)
    filler =
      delta.fill.isEmpty
      ? nil : try TableFiller(table, delta.positions(of: delta.fill, in: table), rows, connection)
  }

  func take(_ event: DeltaEvent, _ values: [BorrowedValue]) throws {
    switch event {
    case .fill: try filler?.fill(values)
    case .delete: try rows.delete(lentKey: values)
    // The row may exist: a delta also replaces whole rows, for example if a key's spelling changed.
    case .insert: try rows.write(lent: values)
    case .update(let set): try rows.update(lent: values, at: sets[set])
    case .table, .skip, .end: break
    }
  }
}

/// Sets the new columns of the stored rows, one row after another in key order.
private final class TableFiller {
  private let table: TableSchema
  private let positions: [Int]
  private let rows: TableRows
  private let keys: Statement
  private var key: [BorrowedValue] = []

  init(_ table: TableSchema, _ positions: [Int], _ rows: TableRows, _ connection: Connection) throws {
    (self.table, self.positions, self.rows) = (table, positions, rows)
    keys = try connection.prepare(TableSQL(table).sortedKeys)
  }

  func fill(_ values: [BorrowedValue]) throws {
    try skip(1)
    keys.borrowRow(into: &key)
    try rows.update(lent: key + values, at: positions)
  }

  func skip(_ count: Int) throws {
    for _ in 0..<count where try !keys.step() { throw ApplyError.tooManyRows(table: table.name) }
  }
}

extension DeltaTable {
  /// The schema's table with this name; throws if its key or columns differ from the delta's.
  package func table(in schema: DatabaseSchema) throws(ImportError) -> TableSchema {
    guard let table = schema.table(name) else { throw .unknownTable(name) }
    guard table.keyNames == key, table.columnNames == columns else { throw .wrongColumns(table: name) }
    return table
  }

  /// The positions of each set's columns, which must be distinct, stored and not part of the key.
  package func positions(in table: TableSchema) throws(ImportError) -> [[Int]] {
    try sets.map { set throws(ImportError) in try positions(of: set, in: table) }
  }

  fileprivate func positions(of set: [String], in table: TableSchema) throws(ImportError) -> [Int] {
    let positions = set.compactMap { columns.firstIndex(of: $0) }.filter { !table.key.contains($0) }
    guard positions.count == set.count, Set(positions).count == set.count else {
      throw .wrongSet(table: name, columns: set)
    }
    return positions
  }
}

extension SchemaAdditions {
  /// Extends a seed's schema in the open transaction, recomputes the sums of the changed tables and fills the new
  /// search tables. Returns the new schema, whose hash must be `after`.
  package func perform(on connection: Connection, leadingTo after: SHA256Digest) throws -> DatabaseSchema {
    let old = try SchemaReader(connection).schema()
    try define(on: connection)
    let new = try SchemaReader(connection).schema()
    guard old.hash == before, new.hash == after else { throw ApplyError.otherSchema }
    for table in new.tables where old.table(table.name)?.columns != table.columns {
      try SeedTables.store(TableSum(of: table, connection), of: table.name, connection)
    }
    for search in new.searchTables where !old.searchTables.contains(search) {
      try SearchIndex.rebuild(quoted(search.name), connection)
    }
    return new
  }

  package func define(on connection: Connection) throws {
    let room = try connection.room(forIndexes: statements.count)
    for statement in statements {
      try connection.define(statement, .addition(sparing: ReservedTable.prefix), growingTo: room)
    }
  }
}

package enum ApplyError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherSeries
  /// The additions of a delta that begins a new minor version do not produce the signed schema.
  case otherSchema
  case notAsSigned(file: String, header: DeltaHeader)
  case outOfRange(from: SeedVersion, to: SeedVersion, version: SeedVersion)
  case digestMismatch(at: SeedVersion)
  case tooManyRows(table: String)

  package var description: String {
    switch self {
    case .otherSeries: "the delta belongs to a different series or schema than the seed"
    case .otherSchema: "the delta's additions do not produce the signed schema"
    case .notAsSigned(let file, let header):
      "\(file) does not match its signed header: it has versions \(header.from) to "
        + "\(header.to) of \(header.series), model \(header.model)"
    case .outOfRange(let from, let to, let version):
      "the delta goes from version \(from) to \(to), but the seed is at version \(version)"
    case .digestMismatch(let version):
      "after applying the delta, the rows do not match those published as version \(version)"
    case .tooManyRows(let table): "the delta has values for more rows than table \"\(table)\" has"
    }
  }
}
