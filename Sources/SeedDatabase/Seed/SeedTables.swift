import SeedFormat

/// The two tables that every seed carries beside its data.
package enum SeedTables {
  /// `application_id` of every seed: "SEED".
  package static let applicationID: Int64 = 0x5345_4544

  /// Makes the tables and marks the file as a seed.
  package static func create(_ meta: SeedMeta, _ tables: [TableSchema], _ connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE \(ReservedTable.meta)(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE \(ReservedTable.table)(name TEXT PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, sum BLOB NOT NULL)
        WITHOUT ROWID;
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(meta.model.userVersion);
      """)
    try store(meta, connection)
    for table in tables { try store(TableSum(), of: table.name, connection) }
  }

  /// What the seed says of itself.
  package static func meta(_ connection: Connection) throws -> SeedMeta {
    guard try connection.integer("PRAGMA application_id") == applicationID else {
      throw NotASeed("\(connection.path) has another application_id")
    }
    let rows = try connection.rows("SELECT key, value FROM \(ReservedTable.meta)")
    let values = Dictionary(rows.map { ($0[0].text, $0[1].text) }) { $1 }
    return try SeedMeta(values)
  }

  /// Stores all of it, and forgets what is no longer said.
  package static func store(_ meta: SeedMeta, _ connection: Connection) throws {
    for key in SeedMeta.optionalKeys {
      try connection.execute("DELETE FROM \(ReservedTable.meta) WHERE key = ?", .text(key))
    }
    for (key, value) in meta.values {
      try connection.execute(
        "INSERT OR REPLACE INTO \(ReservedTable.meta) VALUES (?, ?)", .text(key), .text(value))
    }
  }

  /// The sums of all tables.
  package static func sums(_ connection: Connection) throws -> [String: TableSum] {
    let rows = try connection.rows("SELECT name, rows, sum FROM \(ReservedTable.table)")
    return Dictionary(try rows.map { ($0[0].text, try sum($0)) }) { $1 }
  }

  /// Stores one table's sum.
  package static func store(_ sum: TableSum, of table: String, _ connection: Connection) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO \(ReservedTable.table) VALUES (?, ?, ?)",
      .text(table), .integer(Int64(sum.rows)), .blob(sum.bytes))
  }

  private static func sum(_ row: [SeedValue]) throws -> TableSum {
    guard case .integer(let rows) = row[1], case .blob(let bytes) = row[2],
      let sum = TableSum(rows: Int(rows), bytes: bytes)
    else { throw NotASeed("the sum of \"\(row[0])\" is damaged") }
    return sum
  }
}

extension SeedMeta {
  private enum Key {
    static let dataset = "dataset"
    static let series = "series"
    static let model = "model"
    static let epoch = "epoch"
    static let version = "version"
    static let schema = "schema"
    static let digest = "digest"
    static let license = "license"
    static let attribution = "attribution"
    static let source = "source"
  }

  fileprivate static let optionalKeys = [Key.license, Key.attribution, Key.source]

  fileprivate var values: [(String, String)] {
    let always = [
      (Key.dataset, series.dataset.text), (Key.series, "\(series.major)"), (Key.model, model.description),
      (Key.epoch, epoch.text), (Key.version, version.description), (Key.schema, schema.hex),
      (Key.digest, digest.hex),
    ]
    let optional = [
      (Key.license, provenance.license), (Key.attribution, provenance.attribution),
      (Key.source, provenance.source),
    ]
    return always + optional.compactMap { key, value in value.map { (key, $0) } }
  }

  fileprivate init(_ values: [String: String]) throws {
    func value(_ key: String) throws -> String {
      guard let value = values[key] else { throw NotASeed("\(ReservedTable.meta) lacks \"\(key)\"") }
      return value
    }
    let model = try ModelVersion(value(Key.model))
    self.init(
      series: Series(try DatasetName(value(Key.dataset)), model: model),
      model: model,
      epoch: try Epoch(value(Key.epoch)),
      version: try Version(value(Key.version)),
      schema: try SHA256Digest(hex: value(Key.schema)),
      digest: try SHA256Digest(hex: value(Key.digest)),
      provenance: Provenance(
        license: values[Key.license], attribution: values[Key.attribution], source: values[Key.source]))
  }
}
