import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The first half of a step, under the publication's lock. Publishes the origin's changes as the next version. Makes a
/// snapshot only for a new history or schema; ``CompressionStep`` makes the others.
struct ChangeStep {
  let context: StepContext
  private var update: PublicationUpdate
  private let readiness: Result<Void, any Error>
  private var report = StepReport()

  private var job: DatasetJob { context.job }
  private var options: StepOptions { context.options }

  /// Published files stay untouched until their replacements are complete.
  static func run(_ context: StepContext, _ report: inout StepReport) throws -> PublishedMetadata {
    let (publisher, job, options) = (context.publisher, context.job, context.options)
    // Prepares the origin before taking the lock, because a slow preparation must not block other steps.
    publisher.progress("\(job.name): preparing the origin")
    let readiness = Result { if options.rollback == nil, !job.isRetired { try job.origin.prepare() } }
    // A new epoch delegates to the series key again, so the key need not match the published metadata.
    return try publisher.withPublication(checkingKeys: !options.isBeginningEpoch) { published in
      publisher.progress("\(job.name): opening the origin")
      guard options.isBeginningEpoch || !FollowFolder.isBegun(in: publisher.publication.path) else {
        throw PublicationError.unfinished(path: publisher.publication.path)
      }
      let update = try PublicationUpdate(
        publisher, lifetimeSeconds: job.lifetimeSeconds, now: context.now, after: published, options)
      var step = ChangeStep(context: context, update: update, readiness: readiness)
      defer { report = step.report }
      if options.isPreview {
        try step.preview()
      } else {
        let result = Result {
          try step.update.adoptPending()
          try step.sweep()
          try step.update.delegateNewSeries(of: job)
          try step.readOrigin()
        }
        // Signatures are renewed even if the origin is unavailable. The first error is reported.
        let renewal = Result { try step.update.renewIfDue() }
        do {
          try result.get()
          try renewal.get()
        } catch {
          // Otherwise a full disk would stay full. Reads the metadata again, because the step may have written some.
          try? context.prune(publisher.publication.published(), &step.report)
          throw error
        }
      }
      try context.prune(step.update.published, &step.report)
      step.report.warnings += step.update.warnings
      return step.update.published
    }
  }

  private mutating func preview() throws {
    (report.isPreview, report.isResuming) = (true, options.isResuming)
    try readiness.get()
    _ = try update.findNewSeries(of: job)
    var drafts: [SeriesDraft] = []
    defer {
      for draft in drafts { draft.discard() }
      for plan in job.plans {
        try? WorkingCopy.remove(WorkingCopyOpener.previewPath(context.copyPath(plan.series)))
      }
    }
    let origin = try job.isRetired ? nil : job.origin.open(waitSeconds: job.originWaitSeconds)
    try draft(origin?.locking(active), &drafts)
    drafts.forEach { report.add($0.report) }
    if let origin, drafts.contains(where: \.isSearched) { reportGain(of: origin) }
  }

  /// Removes only this dataset's leftovers, because a search in the folders of many datasets would make each step slow.
  private mutating func sweep() throws {
    let (publication, stateFolder) = (context.publication, context.stateFolder)
    let series = update.published.delegatedSeries.filter { $0.dataset == job.name }
    let drafts = series.map { DraftFiles(publication: publication, series: $0, stateFolder: stateFolder) }
    report.warnings += try Pruning.warnings(
      ofLeftovers: publication.sweep(series) + DurableFile.sweep(stateFolder)
        + drafts.flatMap { try $0.sweep() })
  }

  private mutating func readOrigin() throws {
    try job.confirm()
    guard let look = try neededLook() else {
      _ = try publish(nil)
      return
    }
    let mustReadAgain: Bool
    do {
      mustReadAgain = try publishOrigin(look)
    } catch let error as any OriginFailure where error.isMomentary {
      report.warnings.append("the origin was read twice, because the first read failed: \(error)")
      mustReadAgain = try publishOrigin(look)
    }
    let reading = OriginReading.newest(of: job.name, in: context.stateFolder)
    report.warnings += [reading.warning].compactMap(\.self)
    try OriginMemory(context: context).remember(mustReadAgain ? nil : look.stamp, update.published)
  }

  /// Returns `nil` if no read is needed, because the step is a rollback, all series are retired, or nothing changed.
  private mutating func neededLook() throws -> OriginLook? {
    guard options.rollback == nil else { return nil }
    try readiness.get()
    // Retired series need no origin, so their signatures are renewed without one.
    let look = try job.isRetired ? nil : job.origin.look()
    note(look?.stamp ?? UnneededStamp())
    guard let look else { return nil }
    // Series that were held or waited for a key missed the last read, so even an unchanged origin must be read for them.
    let mustRead = options.isResuming || options.isBeginningEpoch || drafted.contains(where: mustBeRead)
    return try !mustRead && OriginMemory(context: context).knows(look.stamp, update.published) ? nil : look
  }

  private mutating func note(_ stamp: any OriginStamp) {
    report.originStamp = stamp
    OriginReading.note(job.name, in: context.stateFolder) { reading in
      reading.lagSeconds = stamp.lagSeconds
      (reading.role, reading.server) = (stamp.server?.role, stamp.server?.name)
    }
  }

  private func mustBeRead(_ plan: SeriesPlan) -> Bool {
    let isNew = update.metadata(plan.series) == nil && !job.isRetired(plan.series)
    return isNew || LogPosition.isAuditDue(plan.series, context)
  }

  /// Publishes the origin's state. Returns whether the next step must read the origin even if it looks unchanged. If the
  /// log has no new entries, skips checks whose results cannot have changed.
  private mutating func publishOrigin(_ look: OriginLook) throws -> Bool {
    let start = ContinuousClock.now
    defer {
      let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
      OriginReading.note(job.name, in: context.stateFolder) { $0.openMilliseconds = milliseconds }
    }
    var origin = try look.open(job.originWaitSeconds)
    if !isIdle(origin) { origin = try origin.locking(active) }
    let outcome = try publish(origin)
    if outcome.isWaiting { report.originStamp = nil }
    let held = Set(job.plans.map(\.series).filter { update.metadata($0)?.state.hold != nil })
    report.warnings += LogPosition.prune(origin, context, held: held)
    guard outcome.isSearched else { return outcome.isWaiting }
    reportGain(of: origin)
    // An error must not fail a step that has published, so after an error the origin counts as volatile.
    let isVolatile = (try? origin.isVolatile(job.activePlans)) ?? true
    return isVolatile || outcome.isWaiting
  }

  /// Whether the log shows that no row was written. If so, the step waits for no lock of the origin.
  private func isIdle(_ origin: any Origin) -> Bool {
    active.allSatisfy { plan in
      guard let published = update.metadata(plan.series) else { return false }
      return LogPosition(context: context, plan: plan, published: published).canRest(origin)
    }
  }

  private mutating func reportGain(of origin: any Origin) {
    guard let gain = try? job.gain(of: origin) else { return }
    report.gained = gain.count
    if !gain.isEmpty { report.warnings.append(gain.warning) }
  }

  private var drafted: [SeriesPlan] { context.plans.filter { !update.waiting.contains($0.series) } }

  /// The plans whose rows are read.
  private var active: [SeriesPlan] { drafted.filter { !job.isRetired($0.series) } }

  /// Returns whether any series waits for the origin to catch up, and whether any series was searched for changes.
  private mutating func publish(_ origin: (any Origin)?) throws -> (isWaiting: Bool, isSearched: Bool) {
    var drafts: [SeriesDraft] = []
    do {
      try draft(origin, &drafts)
      for draft in drafts { try draft.noteSeen() }
      try update.publish(drafts.compactMap(\.metadata))
    } catch {
      drafts.forEach { $0.discard() }
      throw error
    }
    drafts.forEach { report.add($0.report) }
    // The publication is now ahead of the working copies. If settling fails, the next step brings the copies up to date.
    for draft in drafts { try draft.settle() }
    return (drafts.contains(where: \.isWaiting), drafts.contains(where: \.isSearched))
  }

  /// Drafts every series. If the shrink guard holds some back, throws one error that names all of them.
  private func draft(_ origin: (any Origin)?, _ drafts: inout [SeriesDraft]) throws {
    var shrunk: [SeedSeries: [ShrunkTable]] = [:]
    for plan in drafted {
      let metadata = update.metadata(plan.series)
      let date = update.date(after: metadata?.state.publishedAt)
      do {
        var draft = try SeriesStep(context: context, plan: plan, date: date).draft(origin, after: metadata)
        if let old = metadata?.state.lifecycle, let new = draft.metadata?.state.lifecycle, new != old {
          draft.report.newLifecycle = new
        }
        drafts.append(draft)
      } catch PublicationError.shrunk(let found, _, _) { shrunk.merge(found) { $1 } }
    }
    guard shrunk.isEmpty else {
      throw PublicationError.shrunk(
        shrunk, isResuming: options.isResuming, gained: gained(origin, insteadOf: shrunk))
    }
  }

  /// Returns the origin's new parts if a column lost its values, because it may have been renamed to one of them.
  private func gained(_ origin: (any Origin)?, insteadOf shrunk: [SeedSeries: [ShrunkTable]]) -> String {
    guard let origin, shrunk.values.joined().contains(where: { $0.column != nil }) else { return "" }
    return (try? job.gain(of: origin))?.words ?? ""
  }
}

/// Stores a fingerprint of everything that determines a step's outcome, so that an unchanged origin is not read again.
struct OriginMemory {
  let context: StepContext

  private var path: String { "\(context.stateFolder)/\(context.job.name).origin" }

  func knows(_ stamp: any OriginStamp, _ published: PublishedMetadata) throws -> Bool {
    let fingerprint = try fingerprint(stamp, published)
    return try DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes) == fingerprint
  }

  /// Stores the stamp. If it is `nil`, or if a later write might not change it, removes the stored stamp.
  func remember(_ stamp: (any OriginStamp)?, _ published: PublishedMetadata) throws {
    guard let stamp, stamp.isSettled else { return try Folder.remove(path) }
    // Not fsynced, because losing the file costs only one read.
    try DurableFile.replace(path, with: try fingerprint(stamp, published))
  }

  private func fingerprint(_ stamp: any OriginStamp, _ published: PublishedMetadata) throws -> [UInt8] {
    let job = context.job
    // Includes the known outline, because it determines which new parts of the origin are reported.
    var parts = [job.origin.text, stamp.text, job.knownOrigin?.json.text ?? ""]
    for plan in job.plans {
      let state = published.series[plan.series]?.metadata.state
      let copy = try FileStamp(context.copyPath(plan.series))
      parts += ["\(plan.series)", plan.fingerprint, state.map { "\($0.epoch) \($0.head)" } ?? ""]
      parts += [state?.hold.map { "held \($0.version) \($0.since)" } ?? ""]
      parts += [copy?.text ?? "", "\(job.isRetired(plan.series))"]
    }
    return Array(SHA256Digest.of(JSONValue.array(parts.map { .string($0) }).bytes).hex.utf8)
  }
}
