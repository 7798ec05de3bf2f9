import SeedDatabase
import SeedFormat

/// A series' next version, applied to its copy in a transaction that waits until it is published.
struct SeriesChange {
  let copy: WorkingCopy
  /// The delta, as clients will read it.
  let delta: DeltaDraft
  /// What the delta did to the copy, by table.
  let changes: ChangeReport
  /// The tables for which a step would be held back; only one that is tried gets here with some.
  let shrunk: [ShrunkTable]

  /// What a change is made of, and what holds it back.
  struct Source {
    let origin: SQLiteOrigin
    let plan: SeriesPlan
    let provenance: Provenance
    /// `nil` where the operator accepts what is gone.
    let shrinkGuard: ShrinkGuard?
    /// Whether what the guard finds is only told.
    var isPreview = false
    /// Where changes wait that are too many for memory.
    let spillFolder: String
    /// Where the delta is written before it has a name.
    let draftPath: String
  }

  /// Compares the origin with the copy; `nil` where nothing changed. Throws ``CopyDamaged`` as ``SeriesDiff`` does.
  static func find(_ source: Source, _ copy: WorkingCopy) throws -> SeriesChange? {
    try copy.connection.execute("BEGIN IMMEDIATE")
    do {
      let change = try ViolationSurvey.surveying(source.origin, source.plan) {
        try SeriesChange(source, copy)
      }
      if let change { return change }
      copy.connection.rollBack()
      return nil
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
    shrunk = source.shrinkGuard?.shrunk(before: diff.before, after: diff.sums) ?? []
    guard shrunk.isEmpty || source.isPreview else { throw PublicationError.shrunk([plan.series: shrunk]) }
    let meta = try copy.meta()
    let header = DeltaHeader(
      series: plan.series, model: plan.newest.version, schema: plan.schema.hash,
      from: meta.version, to: meta.version.next, digest: diff.digest)
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

  /// Makes the copy what was published.
  func commit() throws { try copy.connection.execute("COMMIT") }

  /// Leaves the copy as it was.
  func rollBack() {
    copy.connection.rollBack()
    delta.remove()
  }
}
