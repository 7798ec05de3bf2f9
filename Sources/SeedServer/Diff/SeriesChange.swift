import SeedDatabase
import SeedFormat

/// A series' next version, applied to its copy in a transaction that waits until it is published.
struct SeriesChange {
  let copy: WorkingCopy
  let delta: DeltaDraft
  let changes: ChangeReport
  /// What the guard holds back; only a preview gets here with some.
  let shrunk: [ShrunkTable]
  /// What the origin's log should have named and did not.
  let missed: [MissedRows]

  struct Source {
    let origin: any Origin
    let plan: SeriesPlan
    let search: ChangeSearch
    let provenance: Provenance
    /// `nil` where the operator accepts the loss.
    let shrinkGuard: ShrinkGuard?
    /// Whether values of other types are refused.
    let guardsTypes: Bool
    /// A preview only reports what the guard finds.
    let isPreview: Bool
    let spillFolder: String
    /// Where the delta is written before it has a name.
    let draftPath: String
  }

  /// Memory for pages of a copy into which single rows are written.
  private static let cacheKibibytes = 32 * 1024

  /// Compares and applies the difference; `nil` without one. Throws ``CopyDamaged`` where the copy is to blame.
  static func make(_ source: Source, _ copy: WorkingCopy) throws -> SeriesChange? {
    // Rows all over a large table: what is written back too early is read again, and each time the journal is synced.
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
