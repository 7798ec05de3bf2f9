import SeedDatabase
import SeedFormat

package struct SchemaDraft: Sendable {
  private(set) var parts: [SchemaPart] = []
  /// SELECTs by table, for tables that have no key or use another program's collation.
  package private(set) var projections: [String: String] = [:]
  /// The columns by the table's name in lower case.
  private(set) var columns: [String: [OriginColumn]] = [:]
  package private(set) var notes: [SetupNote] = []

  /// The counts of the parts, such as `2 tables, 1 index`.
  package var contents: String {
    let words: [(SetupNote.Kind, String, String)] = [
      (.table, "table", "s"), (.index, "index", "es"), (.virtualTable, "search table", "s"),
      (.view, "view", "s"),
    ]
    return words.compactMap { kind, word, plural in
      let count = parts.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : plural)"
    }.joined(separator: ", ")
  }

  package func text(header: String) -> String { "-- \(header.printable)\n" + parts.map(\.text).joined() }

  /// Selects the parts for the schema, and proves each by applying it in memory.
  package init(_ survey: OriginSurvey) throws {
    notes = survey.skipped
    for table in survey.tables { add(table) }
    guard !parts.isEmpty else { return }
    let proof = try Connection("schema", .memory)
    for part in parts { try proof.execute(part.sql) }
    let failures = survey.virtualTables.compactMap { add($0, proof) }
    notes += failures
    addViews(survey.views, proof)
    notes += survey.triggers.map {
      SetupNote(
        kind: .trigger, name: $0,
        reason: "seeds have no triggers, and the origin's rows are published as they are",
        remedy: "no action needed")
    }
  }

  private mutating func add(_ table: OriginTable) {
    do {
      let drafted = try DraftedTable(table)
      parts += drafted.parts
      projections[table.name] = drafted.projection
      columns[table.name.foldedName] = table.columns
      notes += drafted.notes
    } catch { notes.append(SetupNote(.table, table.name, SkipCause(error))) }
  }

  /// Retries failed views while others succeed, because a view may use a later one.
  private mutating func addViews(_ views: [SchemaPart], _ proof: Connection) {
    let failures = views.compactMap { view in add(view, proof).map { (view, $0) } }
    guard failures.count == views.count else { return addViews(failures.map(\.0), proof) }
    notes += failures.map(\.1)
  }

  /// Creates the part and proves it. Returns a note if that fails.
  private mutating func add(_ part: SchemaPart, _ proof: Connection) -> SetupNote? {
    do {
      try Self.refuseReserved(part.name)
      try proof.execute(part.sql)
      do {
        try part.prove(in: proof)
      } catch {
        try proof.execute("DROP \(part.kind == .view ? "VIEW" : "TABLE") \(quoted(part.name))")
        throw error
      }
      parts.append(part)
      return nil
    } catch { return SetupNote(part.kind, part.name, SkipCause(error)) }
  }

  static func refuseReserved(_ name: String) throws(SchemaProblem) {
    if name.foldedName.hasPrefix(ReservedTable.prefix) { throw .reservedName(name) }
  }
}

struct SchemaPart: Hashable, Sendable {
  let kind: SetupNote.Kind
  let name: String
  let sql: String

  /// The statement for a file, after an empty line. Drops a comment at the end, which could hide the semicolon. An
  /// unclosed comment could even hide all later statements.
  var text: String {
    let bytes = Array(sql.utf8)
    let end = SQLScanner.tokens(of: bytes).last?.range.upperBound ?? 0
    return "\n\(String(decoding: bytes[..<end], as: UTF8.self));\n"
  }

  /// Tests the part by using it, because SQLite accepts some parts that fail in use.
  func prove(in schema: Connection) throws {
    switch kind {
    case .virtualTable:
      _ = try SchemaReader(schema).schema()
      try schema.readSearchTable(name)
    // Reads no rows, because a view may fail while its tables are empty.
    case .view: _ = try schema.prepare("SELECT * FROM \(quoted(name))")
    default: break
    }
  }
}
