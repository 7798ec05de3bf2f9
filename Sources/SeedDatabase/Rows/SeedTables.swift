package import SeedFormat

/// A seed's metadata, in its table `seedbank_meta`.
package struct SeedMeta: Hashable, Sendable {
  package var series: SeedSeries
  /// The series' newest model version when the file was made.
  package var model: ModelVersion
  package var epoch: Epoch
  package var version: SeedVersion
  package var schema: SHA256Digest
  package var digest: SHA256Digest
  package var provenance: Provenance

  package init(
    series: SeedSeries, model: ModelVersion, epoch: Epoch, version: SeedVersion, schema: SHA256Digest,
    digest: SHA256Digest, provenance: Provenance
  ) {
    (self.series, self.model, self.epoch, self.version) = (series, model, epoch, version)
    (self.schema, self.digest, self.provenance) = (schema, digest, provenance)
  }
}

/// The data's origin and terms of use, which every seed contains.
package struct Provenance: Hashable, Sendable {
  package var license: String?
  package var attribution: String?
  package var source: String?

  package init(license: String? = nil, attribution: String? = nil, source: String? = nil) {
    (self.license, self.attribution, self.source) = (license, attribution, source)
  }
}

/// The two tables that every seed contains besides its data.
package enum SeedTables {
  /// The `application_id` of every seed: "SEED".
  package static let applicationID: Int64 = 0x5345_4544

  package static func create(_ meta: SeedMeta, _ tables: [TableSchema], _ connection: Connection) throws {
    try connection.execute(
      """
      \(ReservedTable.metaSQL);
      \(ReservedTable.tableSQL);
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(meta.model.userVersion);
      """)
    try store(meta, connection)
    for table in tables { try store(TableSum(), of: table.name, connection) }
  }

  package static func meta(_ connection: Connection) throws -> SeedMeta {
    guard try connection.integer("PRAGMA application_id") == applicationID else {
      throw NotASeed("\(connection.path) does not have a seed's application_id")
    }
    try require(ReservedTable.meta, madeBy: ReservedTable.metaSQL, connection)
    let rows = try connection.rows("SELECT key, value FROM \(ReservedTable.meta)")
    return try SeedMeta(Dictionary(rows.map { ($0[0].text, $0[1].text) }) { $1 })
  }

  private static func require(_ table: String, madeBy sql: String, _ connection: Connection) throws {
    guard try connection.has(table, madeBy: sql) else { throw NotASeed("there is no table \(table)") }
  }

  package static func store(_ meta: SeedMeta, _ connection: Connection) throws {
    try connection.execute("DELETE FROM \(ReservedTable.meta)")
    for case (let key, let value?) in meta.values {
      try connection.execute("INSERT INTO \(ReservedTable.meta) VALUES (?, ?)", .text(key), .text(value))
    }
  }

  package static func sums(_ connection: Connection) throws -> [String: TableSum] {
    try require(ReservedTable.table, madeBy: ReservedTable.tableSQL, connection)
    let rows = try connection.rows("SELECT name, rows, sum FROM \(ReservedTable.table)")
    return Dictionary(try rows.map { ($0[0].text, try sum($0)) }) { $1 }
  }

  package static func store(_ sum: TableSum, of table: String, _ connection: Connection) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO \(ReservedTable.table) VALUES (?, ?, ?)",
      .text(table), .integer(Int64(sum.rows)), .blob(sum.bytes))
  }

  private static func sum(_ row: [SeedValue]) throws -> TableSum {
    guard case .integer(let rows) = row[1], case .blob(let bytes) = row[2],
      let sum = TableSum(rows: Int(rows), bytes: bytes)
    else { throw NotASeed("the stored sum of table \"\(row[0])\" is damaged") }
    return sum
  }
}

extension SeedMeta {
  fileprivate var values: [(String, String?)] {
    [
      ("dataset", series.dataset.text), ("series", "\(series.major)"), ("model", model.description),
      ("epoch", epoch.text), ("version", version.description), ("schema", schema.hex),
      ("digest", digest.hex), ("license", provenance.license), ("attribution", provenance.attribution),
      ("source", provenance.source),
    ]
  }

  fileprivate init(_ values: [String: String]) throws {
    func value(_ key: String) throws -> String {
      if let value = values[key] { return value }
      throw NotASeed("\(ReservedTable.meta) lacks \"\(key)\"")
    }
    let model = try ModelVersion(value("model"))
    guard try value("series") == "\(model.major)" else {
      throw NotASeed("\(ReservedTable.meta) names a different series than that of model \(model)")
    }
    self.init(
      series: SeedSeries(try DatasetName(value("dataset")), model: model),
      model: model,
      epoch: try Epoch(value("epoch")),
      version: try SeedVersion(value("version")),
      schema: try SHA256Digest(hex: value("schema")),
      digest: try SHA256Digest(hex: value("digest")),
      provenance: Provenance(
        license: values["license"], attribution: values["attribution"], source: values["source"]))
  }
}
