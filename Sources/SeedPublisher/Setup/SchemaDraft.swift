import SeedDatabase
import SeedFormat

package struct SchemaDraft: Sendable {
  private(set) var parts: [SchemaPart] = []
  /// SELECTs for tables whose rows have no key or another program's collation, by table.
  package private(set) var projections: [String: String] = [:]
  package private(set) var counts = Counts()
  package private(set) var notes: [SetupNote] = []

  package struct Counts: Sendable {
    package fileprivate(set) var tables = 0
    var indexes = 0
    var searchTables = 0
    var views = 0

    package var text: String {
      let all = [
        (tables, "table", "s"), (indexes, "index", "es"), (searchTables, "search table", "s"),
        (views, "view", "s"),
      ]
      return all.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : $2)" }.joined(separator: ", ")
    }
  }

  package func text(header: String) -> String {
    "-- \(header.printable)\n" + parts.map(\.text).joined()
  }
}

struct SchemaPart: Hashable, Sendable {
  enum Kind: Sendable { case table, index, searchTable, view }

  let kind: Kind
  let name: String
  let sql: String

  /// The statement as written to a file, after an empty line.
  var text: String {
    // A comment on the last line would hide the semicolon.
    let last = sql.split(separator: "\n").last ?? ""
    return "\n\(sql)\(last.contains("--") ? "\n;" : ";")\n"
  }
}

extension SchemaDraft {
  /// Selects the parts for the schema, and proves each by applying it in memory.
  package init(_ survey: OriginSurvey) throws {
    let tables = try DraftedTables(survey)
    notes = survey.leftOut + tables.notes
    counts.tables = tables.kept.count
    counts.indexes = tables.kept.reduce(0) { $0 + $1.parts.count - 1 }
    parts = tables.kept.flatMap(\.parts)
    for table in tables.kept { projections[table.origin.name] = table.projection }
    guard !tables.kept.isEmpty else { return }
    let proof = try Connection("schema", .memory)
    for part in parts { try proof.execute(part.sql) }
    addSearchTables(survey, proof)
    addViews(survey.views, proof, among: survey.names)
    notes += survey.triggers.map {
      SetupNote(
        kind: .trigger, name: $0, reason: "seeds have none, and rows come as the origin has them",
        remedy: Self.nothingToDo)
    }
  }

  private mutating func addSearchTables(_ survey: OriginSurvey, _ proof: Connection) {
    var kept: [String] = []
    for table in survey.virtualTables {
      if let cause = add(table, .searchTable, proof, use: { _ = try SchemaReader($0).schema() }) {
        notes.append(SetupNote(.virtualTable, table.name, cause))
      } else {
        kept.append(table.name)
      }
    }
    counts.searchTables = kept.count
    notes += survey.shadowTables.filter { name in !kept.contains { name.hasPrefix("\($0)_") } }.map {
      SetupNote(
        kind: .shadowTable, name: $0,
        reason: "it contains the data of a virtual table that is skipped",
        remedy: Self.nothingToDo)
    }
  }

  private static let nothingToDo = "no action needed"

  /// Retries failed views while others succeed, because a view may use a later one.
  private mutating func addViews(_ views: [OriginPart], _ proof: Connection, among names: Set<String>) {
    var failures: [(view: OriginPart, cause: SkipCause)] = []
    for view in views {
      let cause = add(view, .view, proof) { _ = try $0.prepare("SELECT * FROM \(quoted(view.name))") }
      if let cause { failures.append((view, cause.seen(among: names))) }
    }
    counts.views += views.count - failures.count
    guard failures.count == views.count else { return addViews(failures.map(\.view), proof, among: names) }
    notes += failures.map { SetupNote(.view, $0.view.name, $0.cause) }
  }

  /// Creates the part and uses it, because SQLite accepts some parts that fail in use. Returns the reason for a failure.
  private mutating func add(
    _ part: OriginPart, _ kind: SchemaPart.Kind, _ proof: Connection, use: (Connection) throws -> Void
  ) -> SkipCause? {
    do {
      try Self.refuseReserved(part.name)
      try proof.execute(part.sql)
      do {
        try use(proof)
      } catch {
        try proof.execute("DROP \(kind == .view ? "VIEW" : "TABLE") \(quoted(part.name))")
        throw error
      }
      parts.append(SchemaPart(kind: kind, name: part.name, sql: part.sql))
      return nil
    } catch { return SkipCause(error) }
  }

  static func refuseReserved(_ name: String) throws(SchemaProblem) {
    if name.lowercased().hasPrefix(ReservedTable.prefix) { throw .reservedName(name) }
  }
}

private struct DraftedTables {
  private(set) var kept: [DraftedTable] = []
  private var skipped: [SetupNote] = []

  var notes: [SetupNote] { skipped + kept.flatMap(\.notes) }

  init(_ survey: OriginSurvey) throws {
    for table in survey.tables { keep(table, cutting: [:]) }
    // A skipped table invalidates references of others, so repeat until nothing changes.
    while let next = firstToCut() {
      kept.removeAll { $0.origin.name == next.table.name }
      keep(next.table, cutting: next.cuts)
    }
    let places = Dictionary(survey.tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    kept.sort { places[$0.origin.name, default: 0] < places[$1.origin.name, default: 0] }
  }

  private mutating func keep(_ table: OriginTable, cutting cuts: [Int: ReferenceProblem]) {
    do {
      kept.append(try DraftedTable(table, cutting: cuts))
    } catch {
      skipped.append(SetupNote(.table, table.name, SkipCause(error)))
    }
  }

  private func firstToCut() -> (table: OriginTable, cuts: [Int: ReferenceProblem])? {
    let names = Set(kept.map { $0.origin.name.lowercased() })
    return kept.lazy.map { ($0, Self.cuts($0.origin, published: names)) }
      .first { table, cuts in cuts.count > table.cuts.count }.map { ($0.origin, $1) }
  }

  private static func cuts(_ table: OriginTable, published: Set<String>) -> [Int: ReferenceProblem] {
    table.references.enumerated().reduce(into: [:]) { cuts, reference in
      let isPublished = published.contains(reference.element.parent.lowercased())
      cuts[reference.offset] = isPublished ? reference.element.problem : .unpublished
    }
  }
}
