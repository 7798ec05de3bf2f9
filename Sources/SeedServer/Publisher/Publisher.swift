import SeedDatabase
package import SeedFormat
package import SeedTrust

/// Walks a dataset through all rooms: origin, series, snapshot, publication. One step at a time per publication.
package struct Publisher: Sendable {
  let publication: PublicationDirectory
  let stateFolder: String
  let keys: OnlineKeys
  let targetsKeys: RoleSigners?

  /// Seconds after which signatures are renewed though nothing changed.
  package static let renewalSeconds = 3600

  /// A publisher; the targets keys are needed only where a new series must be delegated to.
  package init(
    _ publication: PublicationDirectory, stateFolder: String, keys: OnlineKeys, targetsKeys: RoleSigners?
  ) {
    self.publication = publication
    self.stateFolder = stateFolder
    self.keys = keys
    self.targetsKeys = targetsKeys
  }

  /// One publish step: what the origin holds now becomes what clients can fetch.
  ///
  /// A series that a rollback holds stays as it is unless `isResuming`.
  package func step(
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false,
    isResuming: Bool = false
  ) throws -> StepReport {
    try run(
      job,
      StepOptions(
        forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink, isResuming: isResuming),
      now: now)
  }

  /// Publishes what a series held at an older version as its next version, with a snapshot, and holds it there.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    guard job.plans.contains(where: { $0.series == series }) else {
      throw RollbackError.notPublished(series: series)
    }
    return try run(job, StepOptions(forcingSnapshot: true, rollback: (series, version)), now: now)
  }

  private func run(_ job: DatasetJob, _ options: StepOptions, now: UTCTime) throws -> StepReport {
    try working { published in
      var step = PublishStep(publisher: self, job: job, options: options, now: now, published: published)
      return try step.run()
    }
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
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false,
    isResuming: Bool = false
  ) throws -> StepReport {
    let options = StepOptions(
      forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink, isResuming: isResuming)
    return try working { published in
      try StepPreview(publisher: self, job: job, options: options, now: now, published: published).report()
    }
  }

  private func working<Result>(_ body: (PublishedMetadata) throws -> Result) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(stateFolder)
    return try PublicationLock.hold(publication) {
      let published = try publication.published()
      try checkOwner(published)
      return try body(published)
    }
  }

  /// What another deployment signed is left alone: nothing that this one signs would be good there.
  private func checkOwner(_ published: PublishedMetadata) throws(PublicationError) {
    do {
      _ = try RepositorySigner(now: .now()).publish([], after: published, keys: keys)
    } catch {
      throw .foreign(path: publication.path)
    }
  }
}

/// What an operator asks of a step beyond the schedule.
struct StepOptions: Sendable {
  /// A snapshot of the newest version, whatever the schedule says.
  var forcingSnapshot = false
  /// Tables may lose as many rows as they did.
  var acceptingShrink = false
  /// Series that a rollback holds take up their origin again.
  var isResuming = false
  /// The one series that goes back, and where to; the others rest meanwhile.
  var rollback: (series: Series, version: Version)?
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
