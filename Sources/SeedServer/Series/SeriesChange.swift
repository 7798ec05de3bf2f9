import SeedDatabase
import SeedFormat

/// A series' next version, applied to its copy in a transaction that waits until it is published.
struct SeriesChange {
  let copy: WorkingCopy
  let header: DeltaHeader
  /// The delta's document, as clients will read it.
  let document: [UInt8]
  /// What the delta did to the copy, by table.
  let changes: ChangeReport

  /// Compares the origin with the copy; `nil` where nothing changed. Throws ``CopyDamaged`` as ``SeriesDiff`` does.
  static func find(
    _ origin: SQLiteOrigin, _ copy: WorkingCopy, _ plan: SeriesPlan, _ provenance: Provenance
  ) throws -> SeriesChange? {
    try copy.connection.execute("BEGIN IMMEDIATE")
    do {
      if let change = try SeriesChange(origin, copy, plan, provenance) { return change }
      copy.connection.rollBack()
      return nil
    } catch {
      copy.connection.rollBack()
      throw error
    }
  }

  private init?(
    _ origin: SQLiteOrigin, _ copy: WorkingCopy, _ plan: SeriesPlan, _ provenance: Provenance
  ) throws {
    let diff = try SeriesDiff(origin, copy, plan)
    guard !diff.delta.isEmpty else { return nil }
    let meta = try copy.meta()
    header = DeltaHeader(
      series: plan.series, model: plan.newest.version, schema: plan.schema.hash,
      from: meta.version, to: meta.version.next, digest: diff.digest)
    document = diff.delta.document(header)
    // The publisher is the first client of its own delta: what it cannot apply, nobody gets.
    changes = try copy.apply(document).changes
    var after = try copy.meta()
    after.provenance = provenance
    try SeedTables.store(after, copy.connection)
    self.copy = copy
  }

  /// Makes the copy what was published.
  func commit() throws { try copy.connection.execute("COMMIT") }

  /// Leaves the copy as it was.
  func rollBack() { copy.connection.rollBack() }
}
