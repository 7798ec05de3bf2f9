import SeedDatabase
import SeedFormat
import SeedPublication

/// A series' next version, applied to its copy in a transaction that stays open until the version is published.
struct SeriesChange {
  let copy: WorkingCopy
  let delta: DeltaDraft
  let changes: ChangeReport
  /// Tables and columns rejected by the shrink guard. Only a preview continues despite them.
  let shrunk: [ShrunkTable]
  /// Changed rows that the origin's log failed to name.
  let missed: [MissedRows]

  struct Source {
    let origin: any Origin
    let plan: SeriesPlan
    let search: ChangeSearch
    let provenance: Provenance
    /// `nil` if the operator accepts the loss.
    let shrinkGuard: ShrinkGuard?
    /// Whether values of undeclared types are rejected.
    let guardsTypes: Bool
    /// A preview reports violations of the shrink guard instead of throwing.
    let isPreview: Bool
    let spillFolder: String
    let draftPath: String
  }

  /// The page cache of a copy that receives scattered rows.
  private static let cacheKibibytes = 32 * 1024

  /// Compares and applies the difference. Returns `nil` if nothing differs. Throws ``CopyDamaged`` if the copy is faulty.
  static func make(_ source: Source, _ copy: WorkingCopy) throws -> SeriesChange? {
    // Rows are scattered over a large table. A small cache would write pages early and sync the journal each time.
    if case .log = source.search {
      try copy.connection.execute("PRAGMA cache_size = -\(Self.cacheKibibytes)")
    }
    try copy.connection.execute("BEGIN IMMEDIATE")
    do {
      let types = source.guardsTypes ? TypeGuard(source.plan, copy: copy.connection) : nil
      let change = try ViolationSurvey.surveying(source.origin, source.plan, types) {
        try SeriesChange(source, copy, types)
      }
      if change == nil { copy.connection.rollBack() }
      return change
    } catch {
      copy.connection.rollBack()
      throw error
    }
  }

  private init?(_ source: Source, _ copy: WorkingCopy, _ types: TypeGuard?) throws {
    let plan = source.plan
    let spill = SpillFile(in: source.spillFolder)
    let diff = try SeriesDiff(source, copy, types, spill: spill)
    guard !diff.delta.isEmpty else { return nil }
    missed = diff.missed
    shrunk = try diff.shrunk()
    guard shrunk.isEmpty || source.isPreview else { throw PublicationError.shrunk([plan.series: shrunk]) }
    let meta = try copy.meta()
    let header = DeltaHeader(
      series: plan.series, model: plan.newest.version, schema: plan.schema.hash,
      from: meta.version, to: meta.version.next, digest: StateDigest.of(diff.after))
    let draft = try DeltaDraft(diff.delta, header, at: source.draftPath)
    do {
      // The publisher applies its own delta first, so clients never get one that cannot be applied.
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

/// A working copy is unreadable, or its rows do not match its sums because of damage or a manual edit.
struct CopyDamaged: Error, CustomStringConvertible {
  let description: String

  init(table: String, reason: String) { description = "its table \"\(table)\" was damaged: \(reason)" }

  /// Returns `nil` if the copy did not cause the error. SQLite reports an emptied search table as malformed.
  init?(_ error: any Error) {
    guard let error = error as? DatabaseError, error.saysDamage || error.code == ResultCode.unread else {
      return nil
    }
    description = "it was damaged: \(error.cause)"
  }
}
