import SeedDatabase
package import SeedFormat
package import SeedPublication

/// A draft of a model: the previous model's files with the origin's additions. Each addition is tested in memory.
package struct ModelDraft: Sendable {
  let version: ModelVersion
  let path: String
  private(set) var schemaSQL: String
  private(set) var projections: [String: String]
  /// Additions such as `column "shop"."phone"`.
  private(set) var added: [String] = []
  private(set) var notes: [SetupNote] = []
  /// The remarks on additions that differ from the origin.
  private(set) var remarks: [String] = []

  package var definition: ModelDefinition {
    ModelDefinition(version: version, schemaSQL: schemaSQL, projections: projections, path: path)
  }

  package init(
    _ version: ModelVersion, in path: String, copying base: ModelDefinition, adding gain: OriginGain,
    from drafted: SchemaDraft
  ) {
    (self.version, self.path, projections) = (version, path, base.projections)
    schemaSQL = Self.retitled(base.schemaSQL, from: base.version, to: version)
    for part in gain.parts where part.kind == .column { add(part, from: drafted) }
    let names = Set(gain.parts.filter { $0.kind != .column }.map { $0.name.foldedName })
    add(drafted.parts.filter { names.contains($0.name.foldedName) }, from: drafted)
    let kept = Set(drafted.parts.map(\.name))
    notes += drafted.notes.filter { names.contains($0.name.foldedName) && !kept.contains($0.name) }
  }

  private static func retitled(_ sql: String, from old: ModelVersion, to new: ModelVersion) -> String {
    let title = "-- Model \(old) of "
    return sql.hasPrefix(title) ? "-- Model \(new) of " + sql.dropFirst(title.count) : sql
  }

  /// Adds the parts in order, because each may use those before it.
  private mutating func add(_ parts: [SchemaPart], from drafted: SchemaDraft) {
    if !parts.isEmpty { schemaSQL = Self.closed(schemaSQL) }
    for part in parts {
      if let cause = refusal(of: schemaSQL + part.text, with: part) {
        notes.append(SetupNote(part.kind, part.name, cause))
        continue
      }
      schemaSQL += part.text
      if part.kind == .table, let select = drafted.projections[part.name] { projections[part.name] = select }
      added.append("\(part.kind.rawValue) \"\(part.name)\"")
    }
  }

  /// Returns the text with a semicolon after its last statement, so that another one can follow.
  private static func closed(_ sql: String) -> String {
    var bytes = Array(sql.utf8)
    guard let last = SQLScanner.tokens(of: bytes).last, last.keyword != ";" else { return sql }
    bytes.insert(UInt8(ascii: ";"), at: last.range.upperBound)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func refusal(of sql: String, with part: SchemaPart? = nil) -> SkipCause? {
    do {
      let model = try ModelDefinition.database(sql)
      _ = try SchemaReader(model).schema()
      try part?.prove(in: model)
      return nil
    } catch { return SkipCause(error) }
  }

  private mutating func add(_ column: OriginGain.Part, from drafted: SchemaDraft) {
    do throws(ColumnRefusal) {
      guard let columns = drafted.columns[column.table.foldedName] else { throw .tableSkipped }
      guard var own = columns.first(where: { $0.name == column.name }) else { throw .skipped }
      let select = try numbered(own, of: column.table)
      let isRelaxed = version.minor > 0 && own.isNotNull && own.defaultSQL == nil
      if isRelaxed { own.isNotNull = false }
      schemaSQL = try adding(own.definition(), to: column.table)
      if let select { projections[select.table] = select.sql }
      added.append("column \"\(column.table)\".\"\(column.name)\"")
      if isRelaxed { remarks.append(Self.relaxed(column)) }
    } catch {
      notes.append(
        SetupNote(
          kind: .column, name: column.table, part: column.name, reason: error.reason, remedy: error.remedy))
    }
  }

  private static func relaxed(_ column: OriginGain.Part) -> String {
    "The column \"\(column.table)\".\"\(column.name)\" is NOT NULL in the origin, but allows NULL in the model, because"
      + " a minor's new columns must allow NULL or have a default"
  }

  /// Lets SQLite add the column, and copies the changed statement into the operator's text.
  private func adding(_ definition: String, to table: String) throws(ColumnRefusal) -> String {
    do {
      let model = try ModelDefinition.database(schemaSQL)
      let old = try statement(ofTable: table, in: model)
      try model.execute("ALTER TABLE \(quoted(table)) ADD COLUMN \(definition)")
      var new = try statement(ofTable: table, in: model)
      // SQLite puts the comma at the start of a line, which is necessary only after a comment.
      if !old.contains("--") { new = new.replacing("\n, \(definition)", with: ",\n  \(definition)\n") }
      guard let changed = replacing(old, with: new, ofTable: table) else { throw ColumnRefusal.notFound }
      if let cause = refusal(of: changed) { throw ColumnRefusal.refused(cause) }
      return changed
    } catch { throw error as? ColumnRefusal ?? .refused(SkipCause(error)) }
  }

  /// Tries each place until SQLite reads `new` back, because comments or other statements may contain the same text.
  private func replacing(_ old: String, with new: String, ofTable table: String) -> String? {
    schemaSQL.ranges(of: old).lazy.map { schemaSQL[..<$0.lowerBound] + new + schemaSQL[$0.upperBound...] }
      .first { (try? statement(ofTable: table, in: ModelDefinition.database($0))) == new }
  }

  /// Returns the statement from the table's name on, because SQLite keeps only that part as it was written.
  private func statement(ofTable table: String, in model: Connection) throws -> String {
    let sql = try model.value(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(table))
    return String((sql?.text ?? "").dropFirst("CREATE TABLE ".count))
  }

  /// Returns the SELECT that numbers the table's rows, with the column added; nil if the table has no SELECT.
  private func numbered(
    _ column: OriginColumn, of table: String
  ) throws(ColumnRefusal) -> (table: String, sql: String)? {
    guard let own = projections.first(where: { $0.key.foldedName == table.foldedName }) else { return nil }
    let ends = ["", DraftedTable.withoutIndexes].map { "\nFROM \(quoted(own.key))\($0)\n" }
    guard own.value.hasPrefix(DraftedTable.numberingRemark),
      let end = ends.first(where: { own.value.hasSuffix($0) })
    else {
      throw ColumnRefusal(
        reason:
          "its table has a custom SELECT: add the column in \(path)/\(table).sql and \(ModelFolder.schemaFileName)"
      )
    }
    return (
      own.key, own.value.dropLast(end.count) + ", \(column.selected)" + (column.isForeign ? ends[1] : end)
    )
  }
}

private struct ColumnRefusal: Error {
  let reason: String
  /// Empty if the reason includes the remedy.
  var remedy = ""

  static let tableSkipped = Self(
    reason: "its table cannot be published as it is",
    remedy: "add the table to schema.sql in a form that can be published")
  static let skipped = Self(
    reason: "clients cannot use it unchanged",
    remedy: "to publish its values, add it to schema.sql as an ordinary column")
  static let notFound = Self(
    reason:
      "the table's CREATE TABLE statement in \(ModelFolder.schemaFileName) is not written as SQLite stores it: add the column there by hand"
  )

  static func refused(_ cause: SkipCause) -> Self {
    Self(reason: cause.reason, remedy: cause.remedy(.column))
  }
}

package struct ModelChoice {
  package let version: ModelVersion
  /// The newest model of the same major, or else of an earlier major.
  package let base: ModelDefinition
  package let path: String

  /// `given`: nil for the next minor of the newest major.
  package init(
    _ given: ModelVersion?, of dataset: DatasetName, in folder: String, _ models: [ModelDefinition]
  ) throws(Refusal) {
    let models = models.sorted { $0.version < $1.version }
    guard let newest = models.last?.version,
      let version = given ?? (try? ModelVersion(major: newest.major, minor: newest.minor + 1))
    else { throw Refusal(.configuration, "\(folder): there is no model to start from.") }
    if let known = models.map(\.version).last(where: { $0.major == version.major }), known >= version {
      throw Refusal(
        .usage, "\(dataset) already has model \(known). Nothing was changed; choose a version above it.")
    }
    guard let base = models.last(where: { $0.version < version }) else {
      throw Refusal(.usage, "\(dataset) begins with model \(models[0].version): choose a version above it.")
    }
    self.version = version
    self.base = base
    path = "\(ModelFolder.parent(inDataset: folder))/\(version)"
  }
}
