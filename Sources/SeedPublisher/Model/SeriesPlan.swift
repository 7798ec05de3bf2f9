package import SeedDatabase
package import SeedFormat
package import SeedTrust

/// One model folder: a schema and the SELECTs that fill it.
package struct ModelDefinition: Hashable, Sendable {
  package let version: ModelVersion
  package let schemaSQL: String
  /// SELECTs by table. A table without a SELECT is read from the origin's table of the same name.
  package fileprivate(set) var projections: [String: String]
  package let path: String

  package init(version: ModelVersion, schemaSQL: String, projections: [String: String], path: String) {
    (self.version, self.schemaSQL, self.projections, self.path) = (version, schemaSQL, projections, path)
  }

  package var schemaFile: String { "\(path)/\(ModelFolder.schemaFileName)" }
}

/// The source of a table's rows: the operator's SELECT, or the origin's table of the same name.
package struct Projection: Hashable, Sendable {
  /// The operator's SELECT; `nil` to read the origin's table.
  package let sql: String?
  package let place: String
  /// The path of the operator's SELECT, even if the file does not exist.
  package let file: String

  init(sql: String?, file: String) {
    (self.sql, self.file) = (sql, file)
    place = sql == nil ? "the origin's table of that name" : file
  }
}

/// A series' newest minor, checked to work for clients of every older minor.
package struct SeriesPlan: Sendable {
  package let series: SeedSeries
  package private(set) var newest: ModelDefinition
  /// All minors, in ascending order.
  let models: [ModelDefinition]
  package let schema: DatabaseSchema
  /// Problems in the newest minor's schema that do not prevent publishing.
  package let warnings: [String]
  /// Notes on the newest minor's schema that need no change.
  package let remarks: [String]
  /// The schema hash of each minor that can open a file of this series.
  package let hashes: [ModelVersion: SHA256Digest]

  /// Reads the schemas of a series' models. Checks that each minor only adds to the one before. If clients build the
  /// indexes, also checks that they can.
  package init(
    _ series: SeedSeries, _ models: [ModelDefinition], indexes: IndexPlace = .snapshot
  ) throws(PlanError) {
    let read = try models.sorted { $0.version < $1.version }.map { model throws(PlanError) in
      (model: model, schema: try Self.schema(of: model))
    }
    guard let last = read.last else { throw PlanError("the series \(series) has no model") }
    for (older, newer) in zip(read, read.dropFirst()) {
      let missing =
        newer.schema.breaks(clientsOf: older.schema) + newer.model.lostColumns(of: older.model, older.schema)
      guard missing.isEmpty else {
        throw PlanError(
          "model \(newer.model.version) cannot be read by clients of \(older.model.version): "
            + "\(missing.joined(separator: "; ")). A new minor may only add; give this change a new major")
      }
    }
    if indexes == .client { try Self.checkIndexes(last.model) }
    self.series = series
    newest = last.model
    self.models = read.map(\.model)
    schema = last.schema
    warnings = last.model.warnings(last.schema)
    remarks = last.model.remarks(last.schema)
    hashes = Dictionary(read.map { ($0.model.version, $0.schema.hash) }) { $1 }
  }

  package static func plans(
    _ dataset: DatasetName, _ models: [ModelDefinition], indexes: IndexPlace = .snapshot
  ) throws(PlanError) -> [SeriesPlan] {
    try Set(models.map(\.version.major)).sorted().map { major throws(PlanError) in
      let own = models.filter { $0.version.major == major }
      return try SeriesPlan(SeedSeries(dataset, model: own[0].version), own, indexes: indexes)
    }
  }

  package func projection(_ table: TableSchema) -> Projection {
    Projection(sql: newest.projections[table.name], file: "\(newest.path)/\(table.name).sql")
  }

  /// A hash of everything in the newest minor that determines its rows.
  var fingerprint: String {
    let projections = newest.projections.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    let texts = ["\(newest.version)", newest.schemaSQL] + projections
    return SHA256Digest.of(JSONValue(strings: texts).bytes).hex
  }

  /// Clients pin a minor's hash, so a published minor must not change or disappear.
  package func check(against state: SeriesState) throws(PlanError) {
    for (model, hash) in state.models.sorted(by: { $0.key < $1.key }) {
      guard let now = hashes[model] else {
        throw PlanError(
          "model \(model) is published in \(series), but its folder is missing: restore it, because clients still need"
            + " it. If the folder exists, restart 'seedbank run', which has not read it yet")
      }
      guard now == hash else {
        throw PlanError(
          "the schema of model \(model) differs from the one published in \(series): give the change a new minor"
        )
      }
    }
  }

  /// The plan for a file that already has the client's tables.
  var withoutProjections: SeriesPlan {
    var plan = self
    plan.newest.projections = [:]
    return plan
  }

  private static func checkIndexes(_ model: ModelDefinition) throws(PlanError) {
    do {
      try OmittedIndexes.rehearse(model.schemaSQL)
    } catch let error as ForeignDefinition {
      throw PlanError(
        "\(model.schemaFile): clients do not build the index \"\(error.index ?? "")\": \(error.reason): change it, or set"
          + " \"indexes\" to \"snapshot\"")
    } catch { throw PlanError("\(model.schemaFile): \(error)") }
  }

  private static func schema(of model: ModelDefinition) throws(PlanError) -> DatabaseSchema {
    let file = model.schemaFile
    if let (line, word) = model.statementThatDefinesNothing {
      throw PlanError(
        "\(file):\(line): \(word) defines nothing: remove it, because a schema contains only definitions, and rows come from the"
          + " origin")
    }
    let schema: DatabaseSchema
    do {
      let connection = try model.database()
      schema = try SchemaReader(connection).schema()
      try read(schema.searchTables, in: connection)
    } catch let error as DatabaseError {
      throw PlanError("\(error.line.map { "\(file):\($0)" } ?? file): \(error.message)")
    } catch { throw PlanError("\(file): \(error)") }
    for table in model.projections.keys.sorted() where !schema.tables.contains(where: { $0.name == table }) {
      throw PlanError("\(model.path)/\(table).sql: the schema has no table \"\(table)\"")
    }
    return schema
  }

  private static func read(_ searches: [SearchTable], in connection: Connection) throws(PlanError) {
    for search in searches {
      do {
        try connection.readSearchTable(search.name)
      } catch {
        throw PlanError(
          "the search table \"\(search.name)\" does not fit its content, \"\(search.content)\": \(error.message)"
        )
      }
    }
  }
}

extension Connection {
  /// Throws if the content table lacks a column of the search table, which SQLite checks only in a SELECT.
  func readSearchTable(_ name: String) throws(DatabaseError) {
    _ = try prepare("SELECT * FROM \(quoted(name)) LIMIT 1").step()
  }
}

/// A configuration error that prevents models from being published.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The names of files in a dataset's folder and in the folders of its models.
package enum ModelFolder {
  package static let schemaFileName = "schema.sql"
  package static let suffix = ".sql"

  static func canHold(_ table: String) -> Bool {
    let file = "\(table)\(suffix)"
    return file != schemaFileName && !file.hasPrefix(".")
      && !file.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 } && file.utf8.count <= longestFileName
  }

  /// The limit of Linux's and Apple's file systems, in bytes.
  private static let longestFileName = 255

  package static func parent(inDataset folder: String) -> String { "\(folder)/models" }
}
