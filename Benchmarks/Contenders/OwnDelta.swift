import Foundation
import SeedDatabase
import SeedFormat

extension FileHandle {
  private static let pieceBytes = 256 * 1024

  /// Passes the next piece to `take`; returns false at the file's end.
  func readPiece(_ take: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
    guard let piece = try read(upToCount: Self.pieceBytes), !piece.isEmpty else { return false }
    piece.withUnsafeBytes(take)
    return true
  }
}

/// Our delta, with digest and change report, into a seed.
enum OwnDelta {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let connection = try Connection(files.target, .writer)
    try connection.execute(RawDatabase.settings)
    let schema = try SchemaReader(connection).schema()
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: files.delta(phase)))
    _ = try connection.transaction {
      try DeltaApplier(connection, schema).apply { try file.readPiece($0) }
    }
  }

  /// Makes the target a seed, and both documents if they are missing.
  @Sendable static func prepare(_ workload: any Workload, _ files: WorkloadFiles) throws {
    let connection = try Connection(files.target, .writer)
    let schema = try SchemaReader(connection).schema()
    let meta = SeedMeta(
      series: SeedSeries("bench", model: "1.0"), model: "1.0", epoch: .random(), version: 1,
      schema: schema.hash, digest: StateDigest.of([:]), provenance: Provenance())
    try connection.transaction { try SeedTables.create(meta, schema.tables, connection) }
    guard !FileManager.default.fileExists(atPath: files.delta(.hot)) else { return }
    for (number, phase) in Phase.allCases.enumerated() {
      let document = try document(schema, files.source(phase), from: number + 1)
      try Data(document).write(to: URL(fileURLWithPath: files.delta(phase)))
    }
  }

  private static func document(_ schema: DatabaseSchema, _ source: String, from version: Int) throws
    -> [UInt8]
  {
    let connection = try Connection(source, .writer)
    var writer = DeltaWriter()
    var sums: [String: TableSum] = [:]
    for table in schema.tables {
      writer.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
      sums[table.name] = try add(connection.prepare(TableSQL(table).allInKeyOrder), to: &writer)
    }
    return writer.document(
      DeltaHeader(
        series: SeedSeries("bench", model: "1.0"), model: "1.0", schema: schema.hash,
        from: try SeedVersion(version),
        to: try SeedVersion(version + 1), digest: StateDigest.of(sums)))
  }

  private static func add(_ rows: Statement, to writer: inout DeltaWriter) throws -> TableSum {
    var sum = TableSum()
    var hasher = RowHasher()
    let bytes = LentBytes()
    while try rows.step() {
      let row = try rows.row()
      sum.insert(hasher.hash(lent: bytes.lend(row)))
      writer.insert(row)
    }
    return sum
  }
}
