package import SeedFormat

/// Applies a delta to a seed, in the transaction that the caller has opened.
package struct DeltaApplier {
  private let connection: Connection
  private let schema: DatabaseSchema

  package init(_ connection: Connection, _ schema: DatabaseSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Applies the document; rows, version and digest are stored together, or an error says why not.
  package func apply(_ document: [UInt8]) throws -> ImportResult {
    var reader = try DeltaReader(document)
    var meta = try SeedTables.meta(connection)
    try check(reader.header, meta)
    let importer = try BatchImporter(connection, schema)
    try read(&reader, into: importer)
    let result = try importer.finish()
    guard result.digest == reader.header.digest else {
      throw ApplyError.digestMismatch(at: reader.header.to)
    }
    meta.version = reader.header.to
    meta.digest = result.digest
    try SeedTables.store(meta, connection)
    return result
  }

  private func check(_ header: DeltaHeader, _ meta: SeedMeta) throws(ApplyError) {
    guard header.series == meta.series, header.schema == meta.schema else { throw ApplyError.otherSeries }
    guard header.from <= meta.version, meta.version < header.to else {
      throw ApplyError.outOfRange(from: header.from, to: header.to, version: meta.version)
    }
  }

  private func read(_ reader: inout DeltaReader, into importer: BatchImporter) throws {
    var current: TableNames?
    var values: [BorrowedValue] = []
    while true {
      switch (try reader.next(), current) {
      case (.end, _): return
      case (.table(let name, let key), _): current = TableNames(try table(name, key))
      case (.delete, let names?):
        guard try reader.read(names.key, into: &values) else { throw names.wrongKey(reader.rowNames) }
        try importer.delete(lentKey: values, in: names.table)
      case (.upsert, let names?):
        guard try reader.read(names.columns, into: &values) else { throw names.wrongColumns(reader.rowNames) }
        try importer.upsert(lent: values, in: names.table)
      case (.delete, nil), (.upsert, nil): preconditionFailure("the reader yields a table first")
      }
    }
  }

  private func table(_ name: String, _ key: [String]) throws(ImportError) -> TableSchema {
    guard let table = schema.tables.first(where: { $0.name == name }) else { throw .unknownTable(name) }
    guard table.keyNames == key else {
      throw .wrongKey(table: name, found: key, expected: table.keyNames)
    }
    return table
  }
}

/// A table with its names as the bytes that a delta has them in.
private struct TableNames {
  let table: TableSchema
  let key: [[UInt8]]
  let columns: [[UInt8]]

  init(_ table: TableSchema) {
    self.table = table
    key = table.keyNames.map { Array($0.utf8) }
    columns = table.columnNames.map { Array($0.utf8) }
  }

  func wrongKey(_ found: [String]) -> ImportError {
    .wrongColumns(table: table.name, found: found, expected: table.keyNames)
  }

  func wrongColumns(_ found: [String]) -> ImportError {
    .wrongColumns(table: table.name, found: found, expected: table.columnNames)
  }
}

/// Why a delta does not lead anywhere from here.
package enum ApplyError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherSeries
  case outOfRange(from: Version, to: Version, version: Version)
  case digestMismatch(at: Version)

  package var description: String {
    switch self {
    case .otherSeries: "the delta belongs to another series or schema than the seed"
    case .outOfRange(let from, let to, let version):
      "the delta leads from \(from) to \(to), the seed is at \(version)"
    case .digestMismatch(let version):
      "after the delta the rows are not those that were published as version \(version)"
    }
  }
}
