import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The result of a step for one series before its metadata is signed. Not visible to clients yet.
struct SeriesDraft {
  var report: SeriesReport
  /// `nil` if there is nothing to sign.
  var metadata: SeriesMetadata?
  /// Whether the origin is behind the publication, and was not read.
  fileprivate(set) var isWaiting = false
  /// False if the log had no new entries, because then the origin is unchanged.
  fileprivate(set) var isSearched = false
  fileprivate(set) var missed: [MissedRows] = []
  /// Stores everything that must be on disk before signing.
  fileprivate(set) var noteSeen: () throws -> Void = {}
  var discard: () -> Void = {}
  fileprivate(set) var settle: () throws -> Void = {}
}

struct SeriesStep {
  let context: StepContext
  let plan: SeriesPlan
  let date: UTCTime

  private var job: DatasetJob { context.job }
  private var options: StepOptions { context.options }
  private var copyPath: String { context.copyPath(plan.series) }

  /// Compares the origin with the publication. Pass `nil` for an origin that is known to be unchanged.
  func draft(_ origin: (any Origin)?, after published: SeriesMetadata?) throws -> SeriesDraft {
    if let rollback = options.rollback { return try rollBack(to: rollback.version, published) }
    if job.isRetired(plan.series) { return keep(.retired, published, hold: published?.state.hold) }
    let followed = options.isBeginningEpoch ? nil : published
    if let followed {
      if let hold = followed.state.hold, !options.isResuming { return keep(.held, followed, hold: hold) }
      try plan.check(against: followed.state)
    }
    guard let origin else { return keep(.unchanged, published) }
    let seen = SeenPlace(plan.series, in: context.stateFolder)
    // A new epoch may begin with an older state, as after a restore.
    let relation = options.isBeginningEpoch ? .follows : try seen.relation(of: origin)
    if case .behind(let standby) = relation { return try wait(for: standby, seen, published) }
    let place = try origin.place()
    var draft: SeriesDraft
    do {
      draft = try followed.map { try follow(origin, $0) } ?? create(origin, continuing: nil, after: published)
    } catch let reason as NotAnAddition {
      draft = try create(origin, continuing: followed, after: published)
      draft.report.warnings.append(
        "\(plan.series): every client needs a snapshot to get model \(plan.newest.version): \(reason)")
    }
    if case .other(let doubt) = relation {
      draft.report.warnings.append(
        "\(plan.series): \(doubt): all rows were compared, and published changes that the origin lacks are reverted"
      )
    }
    draft.noteSeen = { [isPublished = draft.metadata != nil] in
      try seen.note(place, isPublished: isPublished)
    }
    return draft
  }

  /// Throws ``NotAnAddition`` if the newest minor cannot begin with a delta.
  private func follow(_ origin: any Origin, _ published: SeriesMetadata) throws -> SeriesDraft {
    let model = published.state.model
    let additions = try model == plan.newest.version ? nil : plan.additions(from: model)
    let position = LogPosition(context: context, plan: plan, published: published)
    var step = try position.search(origin)
    let shrinkGuard = options.acceptingShrink ? nil : job.shrinkGuard
    let keepNote = position.keepingNote()
    var draft: SeriesDraft
    do {
      var source = try source(origin, plan, step.search, shrinkGuard, guardsTypes: true)
      source.additions = additions
      draft = try change(source, after: published)
    } catch {
      keepNote()
      throw error
    }
    let discard = draft.discard
    draft.discard = {
      discard()
      keepNote()
    }
    draft.report.foundBy = step.foundBy
    draft.isSearched = !step.isResting
    if let warning = step.warning { draft.report.warnings.append("\(plan.series): \(warning)") }
    if !draft.missed.isEmpty {
      step.next?.missedAt = context.now
      draft.report.missedRows = draft.missed.map(\.count).reduce(0, +)
      draft.report.warnings.append("\(plan.series): \(MissedRows.warning(draft.missed))")
    }
    guard !options.isPreview else { return draft }
    let settle = draft.settle
    draft.settle = { [step] in
      try settle()
      try position.note(step)
    }
    return draft
  }

  private static let longestWaitSeconds = 600

  /// Keeps the version until a standby has caught up, so that data never goes backward.
  private func wait(
    for standby: String, _ seen: SeenPlace, _ published: SeriesMetadata?
  ) throws -> SeriesDraft {
    // If the clock was set back, start waiting from now.
    let start = seen.behindSince.map { min($0, context.now) } ?? context.now
    let seconds = context.now.secondsSinceEpoch - start.secondsSinceEpoch
    guard seconds < Self.longestWaitSeconds else {
      throw OriginError.unavailable(
        "the origin \(job.origin.text) is the standby \(standby), which lacks published rows: check why it does not follow its "
          + "primary, or point origin.postgres to the primary. If the primary was restored to an earlier state, one step with "
          + "the primary publishes that state")
    }
    // A step that should end a rollback's hold publishes nothing yet, so the hold stays.
    let hold = published?.state.hold
    var draft = keep(hold == nil ? .unchanged : .held, published, hold: hold)
    (draft.isWaiting, draft.isSearched) = (true, true)
    draft.report.warnings.append(
      "\(plan.series): the standby \(standby) lacks published rows: nothing is published until it has them; "
        + "wait, or point origin.postgres to the primary")
    draft.noteSeen = { try seen.note(waitingSince: start) }
    return draft
  }

  // MARK: A delta

  private func source(
    _ origin: any Origin, _ plan: SeriesPlan, _ search: ChangeSearch, _ shrinkGuard: ShrinkGuard?,
    guardsTypes: Bool
  ) throws -> SeriesChange.Source {
    let draft =
      try options.isPreview
      ? "\(copyPath).delta\(DurableFile.temporarySuffix)"
      : context.publication.draft("delta", of: plan.series)
    return SeriesChange.Source(
      origin: origin, plan: plan, search: search, shrinkGuard: shrinkGuard, guardsTypes: guardsTypes,
      isPreview: options.isPreview, spillFolder: context.stateFolder, draftPath: draft)
  }

  /// Makes a delta from the head to the source and applies it to the copy. `hold` is set after a rollback.
  private func change(
    _ source: SeriesChange.Source, after published: SeriesMetadata, hold: SeriesHold? = nil
  ) throws -> SeriesDraft {
    let opener = WorkingCopyOpener(context: context, plan: plan, published: published)
    var (copy, repair) = try opener.open()
    context.publisher.progress("\(plan.series): comparing the rows")
    let change: SeriesChange?
    do {
      change = try SeriesChange(source, copy, at: published.state.head)
    } catch let damage as CopyDamaged {
      (copy, repair) = (try opener.rebuild(), "\(damage)")
      change = try SeriesChange(source, copy, at: published.state.head)
    }
    guard let change else {
      var draft = keep(hold == nil ? .unchanged : .held, published, hold: hold)
      draft.report.repair = repair
      if options.isPreview {
        draft.report.hasSnapshot =
          try context.isSnapshotDue(published)
          || context.isSnapshotDue(published.without(context.lostSnapshots(published)))
      }
      return draft
    }
    do {
      let delta = change.delta.object
      var draft = SeriesDraft(
        report: SeriesReport(series: plan.series, outcome: .changed, version: delta.version),
        missed: change.missed, discard: change.rollBack,
        settle: { try change.copy.connection.execute("COMMIT") })
      draft.report.newModel = delta.schemaBefore == nil ? nil : plan.newest.version
      (draft.report.changes, draft.report.filled) = (change.changes, change.filled)
      draft.report.deltaBytes = delta.length
      draft.report.repair = repair
      draft.report.rows = try change.copy.sums().mapValues(\.rows)
      if options.isPreview {
        preview(change, published, &draft.report)
      } else {
        try store(change, published, hold, &draft)
      }
      return draft
    } catch {
      change.rollBack()
      throw error
    }
  }

  private func store(
    _ change: SeriesChange, _ published: SeriesMetadata, _ hold: SeriesHold?, _ draft: inout SeriesDraft
  ) throws {
    let deltas = DeltaPublication(
      publication: context.publication, plan: plan, spillFolder: context.stateFolder, copy: change.copy)
    try change.delta.place(in: context.publication)
    let (head, floor) = (change.delta.object.version, published.state.floor)
    let objects = published.objects + [change.delta.object]
    let spans = DeltaLevels.due(at: head, floor: max(floor, objects.newestMinor))
    let merged = try deltas.merge(spans, of: objects)
    draft.report.merged = merged.objects.compactMap(\.span)
    draft.report.warnings = merged.warnings
    draft.metadata = SeriesMetadata(
      series: plan.series, state: state(epoch: published.state.epoch, head: head, floor: floor, hold: hold),
      objects: Retention(policy: job.policy).afterDelta(objects + merged.objects, floor: floor))
  }

  private func preview(_ change: SeriesChange, _ published: SeriesMetadata, _ report: inout SeriesReport) {
    report.shrunk = change.shrunk
    var next = published
    next.state.head = change.delta.object.version
    next.state.model = change.delta.object.model
    report.hasSnapshot = context.isSnapshotDue(next)
  }

  // MARK: A rollback

  private func rollBack(to version: SeedVersion, _ published: SeriesMetadata?) throws -> SeriesDraft {
    guard let published, !job.isRetired(plan.series) else { throw RecallError.notPublished(plan.series) }
    try plan.check(against: published.state)
    let file = "\(context.stateFolder)/\(plan.series.roleName).recalled\(DurableFile.temporarySuffix)"
    defer { try? WorkingCopy.remove(file) }
    let recall = SeriesRecall(context.publication, published)
    try recall.checkRollback(to: version, newest: plan.newest.version)
    _ = try recall.recall(version, to: file)
    let known = published.state.hold
    let hold = known?.version == version ? known : SeriesHold(version: version, since: context.now)
    // The operator explicitly requested these rows, so the shrink and type guards are off.
    let source = try source(
      try SQLiteOrigin(file), plan.withoutProjections, .comparison(nil), nil, guardsTypes: false)
    return try change(source, after: published, hold: hold)
  }

  // MARK: A new history or schema

  /// Builds a new working copy and a snapshot of it, because no delta from an earlier version is possible.
  private func create(
    _ origin: any Origin, continuing followed: SeriesMetadata?, after published: SeriesMetadata?
  ) throws -> SeriesDraft {
    let (version, epoch) = (followed?.state.head.next ?? .first, followed?.state.epoch ?? .random())
    try refuseCopyWithoutPublication(published)
    let meta = SeedMeta(
      series: plan.series, model: plan.newest.version, epoch: epoch, version: version,
      schema: plan.schema.hash, digest: StateDigest.of([:]), provenance: job.provenance)
    let types = TypeGuard(plan, copyPath: copyPath)
    context.publisher.progress("\(plan.series): reading the origin")
    let path = options.isPreview ? nil : "\(copyPath).new\(DurableFile.temporarySuffix)"
    let copy = try WorkingCopy(building: path, origin, plan, types, meta)
    var draft = SeriesDraft(report: SeriesReport(series: plan.series, outcome: .created, version: version))
    draft.isSearched = true
    draft.report.newModel = followed == nil ? nil : plan.newest.version
    draft.report.shrunk = try shrunk(copy, published, origin)
    draft.report.rows = try copy.sums().mapValues(\.rows)
    draft.report.warnings = plan.warnings
    draft.report.hasSnapshot = true
    guard !options.isPreview else { return draft }
    guard draft.report.shrunk.isEmpty else {
      throw PublicationError.shrunk([plan.series: draft.report.shrunk])
    }
    let maker = context.maker(plan, isFirst: true)
    let snapshot = try maker.finish(try maker.draw(copy))
    try snapshot.place(in: context.publication)
    draft.report.snapshotBytes = snapshot.object.length
    // Older objects of another history have different rows.
    let known = options.isBeginningEpoch ? [] : published?.objects ?? []
    draft.metadata = SeriesMetadata(
      series: plan.series, state: state(epoch: epoch, head: version, floor: version),
      objects: Retention(policy: job.policy).keptSnapshots(known, context.now) + [snapshot.object])
    draft.settle = { [copyPath] in _ = try WorkingCopyOpener.install(copy, as: copyPath) }
    return draft
  }

  /// Returns the shrink guard's violations in a newer minor's copy, which has all tables and columns of the older one.
  private func shrunk(
    _ copy: WorkingCopy, _ published: SeriesMetadata?, _ origin: any Origin
  ) throws -> [ShrunkTable] {
    guard published != nil, !options.acceptingShrink, Folder.exists(copyPath),
      let old = try? WorkingCopy(copyPath), let before = try? old.sums()
    else { return [] }
    return try job.shrinkGuard.shrunk(before: before, after: try copy.sums(), origin) { name in
      guard let table = old.schema.table(name), let values = try? old.values(in: table) else {
        return ([:], [:])
      }
      return (values, try copy.values(in: table))
    }
  }

  /// A copy of an unpublished series means that the publication was lost or replaced.
  private func refuseCopyWithoutPublication(_ published: SeriesMetadata?) throws {
    guard published == nil, !options.isBeginningEpoch, Folder.exists(copyPath) else { return }
    let version = try WorkingCopy(copyPath).meta().version
    throw PublicationError.copyAhead(copy: copyPath, version: "\(version)", head: "nothing")
  }

  // MARK: No new version

  /// Keeps the version. Signs metadata only if the configuration changed its content.
  private func keep(
    _ outcome: SeriesReport.Outcome, _ published: SeriesMetadata?, hold: SeriesHold? = nil
  ) -> SeriesDraft {
    let report = SeriesReport(series: plan.series, outcome: outcome, version: published?.state.head)
    guard let published else { return SeriesDraft(report: report) }
    let old = published.state
    var kept = published
    kept.state = state(epoch: old.epoch, head: old.head, floor: old.floor, hold: hold)
    (kept.state.publishedAt, kept.state.model, kept.state.models) = (old.publishedAt, old.model, old.models)
    return SeriesDraft(report: report, metadata: kept.state == old ? nil : kept)
  }

  private func state(epoch: Epoch, head: SeedVersion, floor: SeedVersion, hold: SeriesHold? = nil)
    -> SeriesState
  {
    SeriesState(
      epoch: epoch, head: head, floor: floor, model: plan.newest.version, models: plan.hashes,
      lifecycle: job.lifecycle(plan.series), publishedAt: date, pollSeconds: job.pollSeconds,
      license: job.provenance.license, attribution: job.provenance.attribution,
      source: job.provenance.source, hold: hold)
  }
}
