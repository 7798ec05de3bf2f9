import SeedDatabase
package import SeedFormat
package import SeedTrust

/// Walks a dataset through all rooms: origin, series, snapshot, publication. One step at a time per publication.
package struct Publisher: Sendable {
  private let publication: PublicationDirectory
  private let stateFolder: String
  private let keys: OnlineKeys
  private let targetsKeys: RoleSigners?

  /// Seconds after which signatures are renewed though nothing changed.
  package static let renewalSeconds = 3600
  /// Deltas behind the newest snapshot after which the next one is due, whatever the schedule says: every
  /// delta adds to the metadata that clients read.
  static let deltasPerSnapshot = 64

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
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, isResuming: Bool = false
  ) throws -> StepReport {
    try hold {
      var step = Step(
        publisher: self, job: job, now: now, isResuming: isResuming, published: try publication.published())
      return try step.run(forcingSnapshot: forcingSnapshot)
    }
  }

  /// Publishes what a series held at an older version as its next version, with a snapshot, and holds it there.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    try hold {
      var step = Step(
        publisher: self, job: job, now: now, rollback: (series, version),
        published: try publication.published())
      return try step.run(forcingSnapshot: true)
    }
  }

  /// Removes what no metadata has named for its grace period, without publishing anything; on a dry run it is
  /// only found.
  package func prune(
    graceSeconds: Int, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: [String: UTCTime]) {
    try hold {
      try publication.prune(
        try publication.published(), PruningMemory(stateFolder), Pruning(graceSeconds: graceSeconds),
        now: now, isDryRun: isDryRun)
    }
  }

  private func hold<Result>(_ body: () throws -> Result) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(stateFolder)
    return try PublicationLock.hold(publication, body)
  }

  /// The state of one step.
  private struct Step {
    let publisher: Publisher
    let job: DatasetJob
    let now: UTCTime
    var isResuming = false
    /// The one series that goes back, and where to; the others rest meanwhile.
    var rollback: (series: Series, version: Version)?
    var published: PublishedMetadata
    var report = StepReport()

    mutating func run(forcingSnapshot: Bool) throws -> StepReport {
      do {
        try walk(forcingSnapshot: forcingSnapshot)
      } catch {
        // What is published stays good while its origin is away; the walk's error is the one to hear of.
        try? renewIfDue()
        throw error
      }
      try renewIfDue()
      try prune()
      return report
    }

    private mutating func walk(forcingSnapshot: Bool) throws {
      try publisher.publication.sweep(published.delegatedSeries)
      try DurableFile.sweep(publisher.stateFolder)
      try delegateNewSeries()
      var prepared: [SeriesStep.Prepared] = []
      do {
        try prepare(&prepared)
        try publish(prepared.compactMap(\.metadata))
      } catch {
        for case .change(let change, _, _) in prepared { change.rollBack() }
        throw error
      }
      try settle(prepared)
      try publishSnapshots(isForced: forcingSnapshot)
    }

    private func prepare(_ prepared: inout [SeriesStep.Prepared]) throws {
      if let (series, version) = rollback {
        guard let plan = job.plans.first(where: { $0.series == series }) else {
          throw RollbackError.notPublished(series: series)
        }
        return prepared.append(
          try step(plan).prepareRollback(to: version, published.series[series]?.metadata))
      }
      // Retired series need no origin, and must not lose their signatures with it.
      let origin = try job.isRetired ? nil : SQLiteOrigin(job.originPath)
      for plan in job.plans {
        prepared.append(try step(plan).prepare(origin, published.series[plan.series]?.metadata))
      }
    }

    private func step(_ plan: SeriesPlan) -> SeriesStep {
      SeriesStep(
        plan: plan, job: job, publication: publisher.publication, stateFolder: publisher.stateFolder,
        now: now, isResuming: isResuming)
    }

    private var signer: RepositorySigner { RepositorySigner(now: now, lifetime: job.lifetimeSeconds) }

    private mutating func write(_ step: SigningStep) throws {
      try publisher.publication.write(step.files)
      published = step.published
    }

    private mutating func delegateNewSeries() throws {
      let known = published.delegatedSeries
      let new = job.plans.map(\.series).filter { !known.contains($0) }
      guard let first = new.first else { return }
      guard let targets = publisher.targetsKeys else {
        throw PublicationError.notDelegated(series: "\(first)")
      }
      try write(
        try signer.delegate(
          known + new, to: publisher.keys.series.verifiers, after: published, keys: targets.keys))
    }

    private mutating func publish(_ changed: [SeriesMetadata]) throws {
      guard !changed.isEmpty else { return }
      try write(try signer.publish(changed, after: published, keys: publisher.keys))
    }

    /// From here on the publication is ahead of the copies; whatever fails now, the next step catches up.
    private mutating func settle(_ prepared: [SeriesStep.Prepared]) throws {
      for item in prepared {
        switch item {
        case .settled: break
        case .change(let change, _, _): try change.commit()
        case .foundation(let copy, let metadata, _):
          guard let plan = job.plans.first(where: { $0.series == metadata.series }) else { continue }
          _ = try CopyKeeper.install(copy, as: step(plan).copyPath)
        }
        report.series.append(item.report)
      }
    }

    private mutating func publishSnapshots(isForced: Bool) throws {
      var changed: [SeriesMetadata] = []
      for plan in job.plans where !job.isRetired(plan.series) {
        if let rollback, rollback.series != plan.series { continue }
        guard let metadata = published.series[plan.series]?.metadata,
          try isSnapshotDue(metadata, isForced: isForced)
        else { continue }
        changed.append(try snapshot(plan, metadata))
      }
      try publish(changed)
    }

    private func isSnapshotDue(_ metadata: SeriesMetadata, isForced: Bool) throws -> Bool {
      guard !metadata.hasSnapshotAtHead else { return false }
      guard !isForced, let newest = metadata.newestSnapshot else { return true }
      if metadata.state.head.number - newest.version.number >= Publisher.deltasPerSnapshot { return true }
      let written = try FileStamp(publisher.publication.file(newest))?.modifiedSeconds ?? 0
      let age = now.secondsSinceEpoch - written
      return age >= job.snapshotSeconds
    }

    private mutating func snapshot(_ plan: SeriesPlan, _ metadata: SeriesMetadata) throws -> SeriesMetadata {
      let keeper = CopyKeeper(
        publisher.publication, plan, metadata, path: step(plan).copyPath)
      let objects = try SnapshotPublication(publisher.publication, plan, job.encodings)
        .make(try keeper.open().copy, publisher.stateFolder)
      if let index = report.series.firstIndex(where: { $0.series == plan.series }) {
        report.series[index].snapshotBytes = objects.first?.length
      }
      let retention = Retention(job.retainedSnapshots)
      let all = metadata.objects + objects
      var state = metadata.state
      state.floor = retention.floor(all, schema: plan.schema.hash, floor: state.floor)
      return SeriesMetadata(
        series: plan.series, state: state, objects: retention.kept(all, floor: state.floor))
    }

    private func prune() throws {
      _ = try publisher.publication.prune(
        published, PruningMemory(publisher.stateFolder), Pruning(graceSeconds: job.graceSeconds), now: now,
        isDryRun: false)
    }

    /// Old signatures are renewed for every series, so that none expires while its origin rests.
    private mutating func renewIfDue() throws {
      let oldest = published.series.values.map(\.expires) + [published.timestamp.expires]
      guard let first = oldest.min() else { return }
      let left = first.secondsSinceEpoch - now.secondsSinceEpoch
      guard left < job.lifetimeSeconds - Publisher.renewalSeconds else { return }
      try publish(published.series.values.map(\.metadata).sorted { $0.series < $1.series })
    }
  }
}

extension SeriesMetadata {
  /// The newest gzip snapshot.
  package var newestSnapshot: PublishedObject? {
    objects.filter { if case .snapshot(_, .gzip) = $0.kind { true } else { false } }
      .max { $0.version < $1.version }
  }

  fileprivate var hasSnapshotAtHead: Bool { newestSnapshot?.version == state.head }
}

extension SeriesStep.Prepared {
  fileprivate var metadata: SeriesMetadata? {
    switch self {
    case .settled(_, let metadata): metadata
    case .change(_, let metadata, _), .foundation(_, let metadata, _): metadata
    }
  }

  fileprivate var report: SeriesReport {
    switch self {
    case .settled(let report, _), .change(_, _, let report), .foundation(_, _, let report): report
    }
  }
}
