import SeedDatabase
import SeedFormat

/// A series' next version, applied to its copy in a transaction that waits until it is published.
struct SeriesChange {
  let copy: WorkingCopy
  let delta: DeltaDraft
  let changes: ChangeReport
  /// The tables that lost too many rows; only a preview gets here with some.
  let shrunk: [ShrunkTable]

  struct Source {
    let origin: any Origin
    let plan: SeriesPlan
    let provenance: Provenance
    /// `nil` where the operator accepts the loss.
    let shrinkGuard: ShrinkGuard?
    /// A preview only reports what the guard finds.
    let isPreview: Bool
    let spillFolder: String
    /// Where the delta is written before it has a name.
    let draftPath: String
  }

  /// Compares and applies the difference; `nil` without one. Throws ``CopyDamaged`` where the copy is to blame.
  static func make(_ source: Source, _ copy: WorkingCopy) throws -> SeriesChange? {
    try copy.connection.execute("BEGIN IMMEDIATE")
    do {
      let change = try ViolationSurvey.surveying(source.origin, source.plan) {
        try SeriesChange(source, copy)
      }
      if change == nil { copy.connection.rollBack() }
      return change
    } catch {
      copy.connection.rollBack()
      throw error
    }
  }

  private init?(_ source: Source, _ copy: WorkingCopy) throws {
    let plan = source.plan
    let spill = SpillFile(in: source.spillFolder)
    let diff = try SeriesDiff(source.origin, copy, plan, spill: spill)
    guard !diff.delta.isEmpty else { return nil }
    shrunk = source.shrinkGuard?.shrunk(before: diff.before, after: diff.after) ?? []
    guard shrunk.isEmpty || source.isPreview else { throw PublicationError.shrunk([plan.series: shrunk]) }
    let meta = try copy.meta()
    let header = DeltaHeader(
      series: plan.series, model: plan.newest.version, schema: plan.schema.hash,
      from: meta.version, to: meta.version.next, digest: StateDigest.of(diff.after))
    let draft = try DeltaDraft(diff.delta, header, at: source.draftPath)
    do {
      // The publisher is the first client of its own delta: what it cannot apply, nobody gets.
      changes = try copy.apply(try draft.pieces()).changes
      var after = try copy.meta()
      after.provenance = source.provenance
      try SeedTables.store(after, copy.connection)
    } catch {
      draft.remove()
      throw CopyDamaged(error) ?? error
    }
    delta = draft
    self.copy = copy
  }

  func commit() throws { try copy.connection.execute("COMMIT") }

  func rollBack() {
    copy.connection.rollBack()
    delta.remove()
  }
}

struct SeriesDiff: ~Copyable {
  private(set) var delta: DeltaWriter
  private(set) var before: [String: TableSum] = [:]
  private(set) var after: [String: TableSum] = [:]

  /// Compares; throws ``CopyDamaged`` where the copy's rows are not those that it has stored the sums of.
  init(_ origin: any Origin, _ copy: WorkingCopy, _ plan: SeriesPlan, spill: any DeltaSpill) throws {
    delta = DeltaWriter(spill: spill)
    before = try copy.sums()
    for table in plan.schema.tables {
      let (before, after) = try compare(table, origin, copy, plan)
      guard self.before[table.name] == before else {
        throw CopyDamaged(table: table.name, reason: "its rows do not match its sum")
      }
      self.after[table.name] = after
    }
  }

  private mutating func compare(
    _ table: TableSchema, _ origin: any Origin, _ copy: WorkingCopy, _ plan: SeriesPlan
  ) throws -> (before: TableSum, after: TableSum) {
    let projection = plan.projection(table)
    do {
      return try compare(table, try origin.rows(table, projection), copy)
    } catch is ProjectedRows.OutOfOrder {
      delta.abandonTable()
      let staged = try origin.stagedRows(table, projection, schemaSQL: plan.newest.schemaSQL)
      return try compare(table, staged, copy)
    } catch let error as DatabaseError {
      // The origin's rows turn their failures into an OriginError, so this one is the copy's.
      throw CopyDamaged(table: table.name, reason: error.cause)
    }
  }

  private mutating func compare(
    _ table: TableSchema, _ new: ProjectedRows, _ copy: WorkingCopy
  ) throws -> (before: TableSum, after: TableSum) {
    delta.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
    let old = StatementRows(try copy.connection.prepare(TableSQL(table).allInKeyOrder))
    var merge = RowMerge(table, old: old, new: new)
    var hasher = RowHasher()
    var (before, after) = (TableSum(), TableSum())
    while let match = try merge.next() {
      let hash = hasher.hash(lent: match == .onlyNew ? new.row : old.row)
      switch match {
      case .same:
        before.insert(hash)
        after.insert(hash)
      case .onlyOld:
        before.insert(hash)
        let row = old.row
        delta.delete(lent: table.key.map { row[$0] })
      case .onlyNew:
        after.insert(hash)
        try new.validate()
        delta.upsert(lent: new.row)
      case .different:
        before.insert(hash)
        after.insert(hasher.hash(lent: new.row))
        try new.validate()
        delta.upsert(lent: new.row)
      }
    }
    return (before, after)
  }
}

/// A working copy that cannot be read, or whose rows are not those of its sums: edited by hand, or damaged.
struct CopyDamaged: Error, CustomStringConvertible {
  let description: String

  init(table: String, reason: String) { description = "its table \"\(table)\" was damaged: \(reason)" }

  /// An error that a change met in the copy; `nil` if the copy is not to blame. An emptied search table is malformed.
  init?(_ error: any Error) {
    guard let error = error as? DatabaseError, error.saysDamage || error.code == ResultCode.unread else {
      return nil
    }
    description = "it was damaged: \(error.cause)"
  }
}
