import SeedDatabase
import SeedFormat

/// Proves one generation from its rows.
struct GenerationExamination {
  private let layout: StoreLayout
  private let name: String
  private let isCurrent: Bool

  init(_ layout: StoreLayout, _ name: String, isCurrent: Bool) {
    self.layout = layout
    self.name = name
    self.isCurrent = isCurrent
  }

  private var file: String { "\(layout.generation(name))/\(Generation.fileName)" }
  private var path: String { "generations/\(name)" }

  /// What the generation says of itself, where it is what it says.
  func run(_ report: inout StoreReport) -> SeedMeta? {
    report.generations += 1
    do {
      let (meta, rows) = try proved(isInUse: report.isInUse)
      if isCurrent { report.data = StoreReport.Data(meta, file: file, rows: rows) }
      return meta
    } catch {
      let remedy = isCurrent ? StoreRemedy.update : StoreRemedy.sweep
      report.add(isCurrent ? .error : .note, path, SeedError(error).message, remedy)
      return nil
    }
  }

  /// One transaction, so that a writer at work does not show the rows of one version and the digest of another.
  private func proved(isInUse: Bool) throws -> (meta: SeedMeta, rows: Int) {
    let connection = try Connection(file, recipe(isInUse))
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    let meta = try SeedTables.meta(connection)
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == meta.schema else {
      throw NotASeed("its tables are not those of the schema that it names")
    }
    try SeedCheck(connection, schema).run()
    return (meta, try SeedTables.sums(connection).values.reduce(0) { $0 + $1.rows })
  }

  /// Where nobody writes and the file is all there is, SQLite need not make the files that readers share.
  private func recipe(_ isInUse: Bool) throws -> Connection.Recipe {
    let log = try DurableFile.start(of: "\(file)-wal", 1) ?? []
    return isInUse || !log.isEmpty ? .reader : .snapshot
  }
}

extension StoreReport.Data {
  fileprivate init(_ meta: SeedMeta, file: String, rows: Int) {
    self.init(
      series: meta.series, model: meta.model, epoch: meta.epoch, version: meta.version, digest: meta.digest,
      file: file, rows: rows)
  }
}
