import SeedDatabase
import SeedFormat
import SeedPublication

/// A series' next version, applied to the working copy in a transaction that stays open until publication.
struct SeriesChange {
  let copy: WorkingCopy
  let delta: ObjectDraft
  let changes: ChangeReport
  /// Tables and columns that the shrink guard rejects. Only a preview continues despite them.
  let shrunk: [ShrunkTable]
  let missed: [MissedRows]
  let filled: Int

  struct Source {
    let origin: any Origin
    let plan: SeriesPlan
    /// Set if the change begins a new minor.
    var additions: SchemaAdditions?
    let search: ChangeSearch
    /// `nil` if the operator accepts the loss.
    let shrinkGuard: ShrinkGuard?
    let guardsTypes: Bool
    /// A preview reports violations of the shrink guard instead of throwing.
    let isPreview: Bool
    let spillFolder: String
    let draftPath: String
  }

  /// Compares the source with a copy at `head`, and applies the difference to the copy. Returns `nil` if nothing differs.
  /// Throws ``CopyDamaged`` if the copy is faulty.
  init?(_ source: Source, _ copy: WorkingCopy, at head: SeedVersion) throws {
    var copy = copy
    // The changed rows are scattered over a large table. A small cache would write pages early and sync often.
    if case .log = source.search {
      try copy.connection.execute("PRAGMA cache_size = -\(WorkingCopy.cacheKibibytes)")
    }
    try copy.connection.execute("BEGIN IMMEDIATE")
    let types = source.guardsTypes ? TypeGuard(source.plan, copy: copy.connection) : nil
    do {
      if let additions = source.additions { try Self.extend(copy, additions, source.plan) }
      let diff = try SeriesDiff(source, copy, types)
      guard !diff.delta.isEmpty || source.additions != nil else {
        copy.connection.rollBack()
        return nil
      }
      (missed, shrunk, filled) = (diff.missed, diff.shrunk, diff.filled)
      guard shrunk.isEmpty || source.isPreview else {
        throw PublicationError.shrunk([source.plan.series: shrunk])
      }
      let header = DeltaHeader(
        series: source.plan.series, model: source.plan.newest.version, schema: source.plan.schema.hash,
        from: head, to: head.next, digest: StateDigest.of(diff.after), additions: source.additions)
      delta = try ObjectDraft(diff.delta, header, at: source.draftPath)
      if source.additions != nil {
        // Rolls back the whole transaction: after a rollback to a savepoint, SQLite 3.40.1 cannot recreate a search
        // table.
        copy.connection.rollBack()
        try copy.connection.execute("BEGIN IMMEDIATE")
      }
      changes = try Self.apply(delta, to: &copy)
    } catch {
      copy.connection.rollBack()
      throw ViolationSurvey.explained(error, source.origin, source.plan, types)
    }
    self.copy = copy
  }

  /// Extends the copy only for the comparison; applying the delta extends it again. Extending a table computes its
  /// sum from its rows, so the rows are first checked against the stored sums.
  private static func extend(_ copy: WorkingCopy, _ additions: SchemaAdditions, _ plan: SeriesPlan) throws {
    for (name, sum) in try SeedCheck(copy.connection, copy.schema).sums() where try copy.sums()[name] != sum {
      throw CopyDamaged(table: name, reason: "its rows do not match its sum")
    }
    do {
      _ = try additions.perform(on: copy.connection, leadingTo: plan.schema.hash)
    } catch let error as ForeignDefinition { throw NotAnAddition(error.reason) }
  }

  /// Applies the delta to the publisher's own copy first, so clients never get a delta that cannot be applied.
  private static func apply(_ delta: ObjectDraft, to copy: inout WorkingCopy) throws -> ChangeReport {
    do {
      return try copy.apply(try delta.pieces()).changes
    } catch {
      delta.remove()
      // SQLite reports a search table that was emptied by hand as malformed.
      let damage = error as? DatabaseError
      guard let damage, damage.saysDamage || damage.code == ResultCode.unread else { throw error }
      throw CopyDamaged(damage)
    }
  }

  func rollBack() {
    copy.connection.rollBack()
    delta.remove()
  }
}

/// The error for a copy that is unreadable, or whose rows do not match its sums because of damage or a manual edit.
struct CopyDamaged: Error, CustomStringConvertible {
  let description: String

  init(table: String, reason: String) { description = "its table \"\(table)\" was damaged: \(reason)" }

  init(_ error: DatabaseError) { description = "it was damaged: \(error.cause)" }
}
