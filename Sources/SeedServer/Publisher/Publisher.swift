import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Walks a dataset through all rooms: origin, series, snapshot, publication. One step at a time per publication.
package struct Publisher: Sendable {
  let publication: PublicationDirectory
  let stateFolder: String
  private let keySource: KeySource
  /// Seconds for which a file stays at the least after it was last named. A step of one dataset comes upon the files of
  /// all, so this is the longest time that any of them asks for.
  package var graceSeconds = 0
  /// The longest time for which any dataset's signatures are valid: see ``ClockWitness``.
  package var longestLifetimeSeconds = 0
  /// Called before a snapshot that was drawn is compressed: a seam, for what happens to a publication meanwhile.
  package var beforeCompression: @Sendable (Series, ContentEncoding) throws -> Void = { _, _ in }

  /// Seconds after which signatures are renewed though nothing changed.
  package static let renewalSeconds = 3600

  /// A publisher. The root and targets keys are needed where these roles are renewed, and the targets keys where a new
  /// series must be delegated to.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeySource) {
    self.publication = publication
    self.stateFolder = stateFolder
    keySource = keys
  }

  /// A publisher whose keys stay as they are.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeyRing) {
    self.init(publication, stateFolder: stateFolder, keys: KeySource(keys))
  }

  /// The keys at hand.
  var keys: KeyRing { keySource.current }

  /// What goes at a step of a job.
  func pruning(_ job: DatasetJob) -> Pruning { Pruning(graceSeconds: max(job.graceSeconds, graceSeconds)) }

  /// One publish step: what the origin holds now becomes what clients can fetch, with the snapshots that are due.
  package func step(_ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime) throws
    -> StepReport
  {
    var report = StepReport()
    try run(job, options, now: now, &report)
    return report
  }

  /// Publishes what a series held at an older version as its next version, with a snapshot, and holds it there.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    var report = StepReport()
    try run(job, try StepOptions(rollingBack: series, to: version, job), now: now, &report)
    return report
  }

  /// A whole step. Whatever is thrown, the report tells what was published before.
  func run(_ job: DatasetJob, _ options: StepOptions, now: UTCTime, _ report: inout StepReport) throws {
    let published = try publishChanges(job, options, now: now, &report)
    try publishSnapshots(job, options, now: now, after: published, &report)
  }

  /// The first half of a step: the changes, under the publication's lock.
  func publishChanges(
    _ job: DatasetJob, _ options: StepOptions, now: UTCTime, _ report: inout StepReport,
    _ patience: PublicationLock.Patience = .refusing
  ) throws -> PublishedMetadata {
    // A new epoch delegates to the series key anew.
    let outcome = try working(patience, checkingKeys: !options.isBeginningEpoch) { published in
      var step = try PublishStep(publisher: self, job: job, options: options, now: now, published: published)
      return try step.run()
    }
    report = outcome.report
    return outcome.published
  }

  /// The second half: the snapshots that are due. Other steps may run meanwhile.
  func publishSnapshots(
    _ job: DatasetJob, _ options: StepOptions, now: UTCTime, after published: PublishedMetadata,
    _ report: inout StepReport
  ) throws {
    var step = SnapshotStep(publisher: self, job: job, options: options, now: now, published: published)
    try step.run(&report)
  }

  /// The second half of a step of its own.
  func publishSnapshots(_ job: DatasetJob, now: UTCTime, _ report: inout StepReport) throws {
    let published = try working(.waiting) { $0 }
    try publishSnapshots(job, StepOptions(), now: now, after: published, &report)
  }

  /// Removes what no metadata has named for its grace period, without publishing anything; on a dry run it is
  /// only found.
  package func prune(
    graceSeconds: Int, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: [String: UTCTime]) {
    try working { published in
      try publication.prune(
        published, PruningMemory(stateFolder), Pruning(graceSeconds: graceSeconds), now: now,
        isDryRun: isDryRun)
    }
  }

  /// What a step would do now. Nothing is written that stays.
  package func preview(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime
  ) throws -> StepReport {
    try working { published in
      try StepPreview(publisher: self, job: job, options: options, now: now, published: published).report()
    }
  }

  /// Runs `body` under the lock, with what is published now.
  func working<Result>(
    _ patience: PublicationLock.Patience = .refusing, checkingKeys: Bool = true,
    _ body: (PublishedMetadata) throws -> Result
  ) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(stateFolder)
    return try PublicationLock.hold(publication, patience) {
      let published = try publication.published()
      if checkingKeys { try checkKeys(published) }
      return try body(published)
    }
  }

  /// What another deployment signed is left alone: nothing that this one signs would be good there.
  private func checkKeys(_ published: PublishedMetadata) throws {
    do {
      try checkKeysAtHand(published)
    } catch {
      try keySource.reload()
      try checkKeysAtHand(published)
    }
  }

  private func checkKeysAtHand(_ published: PublishedMetadata) throws(PublicationError) {
    for role in KeyRole.allCases where !role.isOffline {
      let needed = published.keys(of: role)
      if let needed, !keys.canSign(for: needed) { throw lack(of: role, needed) }
    }
  }

  private func lack(of role: KeyRole, _ needed: RoleKeys) -> PublicationError {
    let found = keys.signers(of: needed).count
    guard found == 0, !keys[role].isEmpty else {
      return .keyMissing(role: role, found: found, needed: needed.threshold)
    }
    return .foreignKey(role: role, path: publication.path)
  }

  /// Who signs the series: the keys that are delegated to, else the ones at hand. A new epoch takes those at hand where
  /// the publication is so old that it names others.
  func seriesVerifiers(_ published: PublishedMetadata) -> RoleVerifiers {
    guard let known = published.targets.delegations?.verifiers, keys.canSign(for: published.keys(of: .series))
    else {
      return keys.verifiers(.series)
    }
    return known
  }

  /// The job's series that must be delegated to; throws where nobody can.
  func newSeries(of job: DatasetJob, after published: PublishedMetadata) throws(PublicationError) -> [Series]
  {
    let known = published.delegatedSeries
    let new = job.plans.map(\.series).filter { !known.contains($0) }
    guard let first = new.first, !keys.canSign(for: published.keys(of: .targets)) else { return new }
    throw .notDelegated(series: "\(first)")
  }
}

extension SeriesMetadata {
  /// The newest gzip snapshot.
  package var newestSnapshot: PublishedObject? {
    objects.filter { if case .snapshot(_, .gzip) = $0.kind { true } else { false } }
      .max { $0.version < $1.version }
  }

  /// Whether the head is due to be published as a snapshot.
  func isSnapshotDue(_ job: DatasetJob, isForced: Bool, now: UTCTime) -> Bool {
    guard let newest = newestSnapshot else { return true }
    guard newest.version != state.head else { return false }
    guard !isForced, let publishedAt = newest.publishedAt else { return true }
    // A snapshot of tomorrow means that a clock was set back: the next one cannot wait for it.
    return !(0..<job.snapshotSeconds).contains(now.secondsSinceEpoch - publishedAt.secondsSinceEpoch)
  }
}
