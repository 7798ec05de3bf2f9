import SeedDatabase

/// The tables that a model takes from an origin, with their indexes and the references that hold.
struct DraftedTables {
  private(set) var kept: [DraftedTable] = []
  private var skipped: [SetupNote] = []

  var notes: [SetupNote] { skipped + kept.flatMap(\.notes) }

  init(_ survey: OriginSurvey) throws {
    for table in survey.tables { keep(table, cutting: [:]) }
    // A table that falls out takes references of others with it, so again until nothing changes.
    while let next = firstToCut() {
      kept.removeAll { $0.origin == next.table }
      keep(next.table, cutting: next.cuts)
    }
    let places = Dictionary(survey.tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    kept.sort { places[$0.origin.name, default: 0] < places[$1.origin.name, default: 0] }
  }

  private mutating func keep(_ table: OriginTable, cutting cuts: [Int: String]) {
    do {
      kept.append(try DraftedTable(table, cutting: cuts))
    } catch {
      skipped.append(SetupNote(kind: .table, name: table.name, reason: refusal(error)))
    }
  }

  private func firstToCut() -> (table: OriginTable, cuts: [Int: String])? {
    let names = Set(kept.map { $0.origin.name.lowercased() })
    for table in kept {
      let cuts = Self.cuts(table.origin, published: names)
      if cuts.count > table.cuts.count { return (table.origin, cuts) }
    }
    return nil
  }

  /// Why a reference cannot be kept, by its place in the table's text.
  private static func cuts(_ table: OriginTable, published: Set<String>) -> [Int: String] {
    var cuts: [Int: String] = [:]
    for (place, reference) in table.references.enumerated() {
      if !published.contains(reference.parent.lowercased()) {
        cuts[place] = "that table is not published"
      } else if let problem = reference.problem {
        cuts[place] = problem
      }
    }
    return cuts
  }
}

/// One table of the model, proven by applying it.
struct DraftedTable {
  let origin: OriginTable
  /// The table's own, then its indexes'.
  private(set) var statements: [String]
  /// The references taken out of it, by their place in its text, and why.
  let cuts: [Int: String]
  private var skippedIndexes: [SetupNote] = []

  var notes: [SetupNote] {
    skippedIndexes
      + cuts.sorted { $0.key < $1.key }.map { place, reason in
        SetupNote(
          kind: .reference, name: origin.name, parent: origin.references[place].parent, reason: reason)
      }
  }

  init(_ table: OriginTable, cutting cuts: [Int: String]) throws {
    try SchemaDraft.refuseReserved(table.name)
    origin = table
    self.cuts = cuts
    let sql = SQLText(SQLText(table.part.sql).withoutAutoincrement).cuttingReferences(Set(cuts.keys))
    statements = [sql]
    let proof = try Connection("schema", .memory)
    try proof.execute(sql)
    for index in table.indexes { add(index, proof) }
    let schema = try SchemaReader(proof).table(table.name)
    // Were a reference left in by mistake, no row of the table could ever be published.
    guard schema.foreignKeys.count == table.references.count - cuts.count else {
      throw SchemaProblem.notSQL("its references could not be taken out of its SQL")
    }
  }

  private mutating func add(_ index: OriginPart, _ proof: Connection) {
    do {
      try proof.execute(index.sql)
      statements.append(index.sql)
    } catch {
      skippedIndexes.append(SetupNote(kind: .index, name: index.name, reason: refusal(error)))
    }
  }
}
