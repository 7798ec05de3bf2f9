import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The first half of a step, under the publication's lock. Publishes the origin's changes as the next version, and
/// makes a snapshot only at the start of a history or schema (see ``SnapshotStep``).
struct ChangeStep {
  private let context: StepContext
  private var update: PublicationUpdate
  private var report = StepReport()
  /// Why the origin cannot be read, if it is not ready.
  private let readiness: Result<Void, any Error>

  private var job: DatasetJob { context.job }
  private var options: StepOptions { context.options }

  private init(
    _ context: StepContext, _ readiness: Result<Void, any Error>, after published: PublishedMetadata
  ) throws {
    (self.context, self.readiness) = (context, readiness)
    update = try PublicationUpdate(context, after: published)
  }

  /// Published files stay untouched until their replacements are complete.
  static func run(
    _ context: StepContext, _ ifHeld: PublicationLock.IfHeld, _ report: inout StepReport
  ) throws -> PublishedMetadata {
    // Prepares the origin before taking the lock, because that may be slow and must not block other steps.
    let readiness = Result { try context.prepareOrigin() }
    // A new epoch delegates to the series key again.
    return try context.publisher.withPublication(ifHeld, checkingKeys: !context.options.isBeginningEpoch) {
      published in
      var step = try ChangeStep(context, readiness, after: published)
      try step.run()
      report = step.report
      return step.update.published
    }
  }

  private mutating func run() throws {
    do {
      try update.adoptPending()
      try sweep()
      try update.delegateNewSeries(of: job)
      try readOrigin()
    } catch {
      // Signatures are renewed even if the origin is unavailable. The first error is the one to report.
      try? update.renewIfDue()
      throw error
    }
    try update.renewIfDue()
    report.pruned = try context.prune(update.published)
    report.warnings += update.warnings
  }

  static func preview(_ context: StepContext) throws -> StepReport {
    let readiness = Result { try context.prepareOrigin() }
    return try context.publisher.withPublication { published in
      var step = try ChangeStep(context, readiness, after: published)
      try step.preview()
      return step.report
    }
  }

  private mutating func preview() throws {
    (report.isPreview, report.isResuming) = (true, options.isResuming)
    try readiness.get()
    _ = try update.findNewSeries(of: job)
    var drafts: [SeriesDraft] = []
    defer {
      for draft in drafts { draft.discard() }
      for plan in job.plans { try? WorkingCopy.remove(CopyKeeper.previewPath(context.copyPath(plan.series))) }
    }
    try draft(job.isRetired ? nil : try job.openOrigin(), &drafts)
    drafts.forEach { report.add($0.report) }
    report.pruned = try context.prune(update.published)
    report.warnings += update.warnings
  }

  private func sweep() throws {
    let series = update.published.delegatedSeries
    try context.publication.sweep(series)
    try DurableFile.sweep(context.stateFolder)
    for one in series {
      try SnapshotDrafts(publication: context.publication, series: one, stateFolder: context.stateFolder)
        .sweep()
    }
  }

  private mutating func readOrigin() throws {
    try job.confirm()
    guard options.rollback == nil else { return try publishAsItIs() }
    try readiness.get()
    let look = try job.look()
    let stamp = look.stamp
    report.originStamp = stamp
    OriginReading.note(job.name, in: context.stateFolder) { reading in
      reading.lagSeconds = stamp?.lagSeconds
      (reading.role, reading.server) = (stamp?.server?.role, stamp?.server?.name)
    }
    // Retired series need no origin, so their signatures are renewed without one.
    guard !job.isRetired else { return try publishAsItIs() }
    let memory = OriginMemory(context)
    // The last read of the origin skipped series that were held or waited for a key.
    let isAuditDue = drafted.contains { ChangeTrail.isAuditDue($0.series, context) }
    let mustRead = options.isResuming || options.isBeginningEpoch || !newSeries.isEmpty || isAuditDue
    if let stamp, try !mustRead && memory.knows(stamp, update.published) { return try publishAsItIs() }
    let isRestless = try publishOriginPatiently(look)
    let reading = OriginReading.newest(of: job.name, in: context.stateFolder)
    report.warnings += [reading.warning].compactMap(\.self)
    try memory.remember(isRestless ? nil : stamp, update.published)
  }

  /// Calls ``publishOrigin(_:)``, and retries once if a replica interrupted the read.
  private mutating func publishOriginPatiently(_ look: OriginLook) throws -> Bool {
    do {
      return try publishOrigin(look)
    } catch let error as any OriginFailure where error.isMomentary {
      report.warnings.append("the origin was read twice, because the first time failed: \(error)")
      return try publishOrigin(look)
    }
  }

  /// Publishes the origin's state. Returns whether to read the origin again even if it looks unchanged. If its log has
  /// no new entries, everything else is as in the step before.
  private mutating func publishOrigin(_ look: OriginLook) throws -> Bool {
    let start = ContinuousClock.now
    defer {
      let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
      OriginReading.note(job.name, in: context.stateFolder) { $0.openMilliseconds = milliseconds }
    }
    let origin = try look.open(job.originWaitSeconds)
    let outcome = try publish(origin)
    if outcome.isWaiting { report.originStamp = nil }
    report.warnings += ChangeTrail.prune(origin, context)
    guard outcome.isSearched else { return outcome.isWaiting }
    tellGain(of: origin)
    // An error must not undo the publication, so it counts as volatile.
    let isVolatile = (try? origin.isVolatile(job.plans)) ?? true
    return isVolatile || outcome.isWaiting
  }

  private mutating func tellGain(of origin: any Origin) {
    guard let gain = try? job.gain(of: origin) else { return }
    report.gained = gain.count
    if !gain.isEmpty { report.warnings.append(gain.warning) }
  }

  private var newSeries: [SeriesPlan] {
    drafted.filter { update.metadata($0.series) == nil && !job.isRetired($0.series) }
  }

  private var drafted: [SeriesPlan] { context.plans.filter { !update.waiting.contains($0.series) } }

  private mutating func publishAsItIs() throws { _ = try publish(nil) }

  /// Returns whether a series waits for its origin, and whether one was searched for changes.
  private mutating func publish(
    _ origin: (any Origin)?
  ) throws -> (isWaiting: Bool, isSearched: Bool) {
    var drafts: [SeriesDraft] = []
    do {
      try draft(origin, &drafts)
      for draft in drafts { try draft.noteSeen() }
      try update.publish(drafts.compactMap(\.metadata))
    } catch {
      drafts.forEach { $0.discard() }
      throw error
    }
    // The publication is now ahead of the copies. After a failure the next step catches up.
    for draft in drafts {
      try draft.settle()
      report.add(draft.report)
    }
    return (drafts.contains(where: \.isWaiting), drafts.contains(where: \.isSearched))
  }

  /// Reports every series that the shrink guard holds back.
  private func draft(_ origin: (any Origin)?, _ drafts: inout [SeriesDraft]) throws {
    var shrunk: [Series: [ShrunkTable]] = [:]
    for plan in drafted {
      let metadata = update.metadata(plan.series)
      let date = update.date(after: metadata?.state.publishedAt)
      do {
        drafts.append(try SeriesStep(context: context, plan: plan, date: date).draft(origin, after: metadata))
      } catch PublicationError.shrunk(let found, _, _) { shrunk.merge(found) { $1 } }
    }
    guard shrunk.isEmpty else {
      throw PublicationError.shrunk(
        shrunk, isResuming: options.isResuming, gained: gained(origin, insteadOf: shrunk).words)
    }
  }

  /// A column that lost its values may have been renamed.
  private func gained(_ origin: (any Origin)?, insteadOf shrunk: [Series: [ShrunkTable]]) -> OriginGain {
    guard let origin, shrunk.values.joined().contains(where: { $0.column != nil }) else {
      return OriginGain()
    }
    return (try? job.gain(of: origin)) ?? OriginGain()
  }
}

/// Stores a fingerprint of everything that determines a step's outcome, so that an unchanged origin is not read.
struct OriginMemory {
  private let context: StepContext
  private let path: String

  init(_ context: StepContext) {
    self.context = context
    path = "\(context.stateFolder)/\(context.job.name).origin"
  }

  func knows(_ stamp: any OriginStamp, _ published: PublishedMetadata) throws -> Bool {
    let fingerprint = try fingerprint(stamp, published)
    return try DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes) == fingerprint
  }

  /// Stores a stamp. Removes it if it is `nil` or if a later write might not change it.
  func remember(_ stamp: (any OriginStamp)?, _ published: PublishedMetadata) throws {
    guard let stamp, stamp.isSettled else { return try Folder.remove(path) }
    // Not fsynced, because losing the file costs only one read.
    try DurableFile.replace(path, with: try fingerprint(stamp, published))
  }

  private func fingerprint(_ stamp: any OriginStamp, _ published: PublishedMetadata) throws -> [UInt8] {
    let job = context.job
    // Includes the known outline, because it determines the reported new parts.
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
