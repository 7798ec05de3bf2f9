import SeedDatabase
import SeedFormat
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
  package func step(_ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false) throws -> StepReport {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(stateFolder)
    return try PublicationLock.hold(publication) {
      var step = Step(publisher: self, job: job, now: now, published: try publication.published())
      return try step.run(forcingSnapshot: forcingSnapshot)
    }
  }

  /// The state of one step.
  private struct Step {
    let publisher: Publisher
    let job: DatasetJob
    let now: UTCTime
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
      try delegateNewSeries()
      // Retired series need no origin, and must not lose their signatures with it.
      let origin = try job.isRetired ? nil : SQLiteOrigin(job.originPath)
      var prepared: [SeriesStep.Prepared] = []
      do {
        for plan in job.plans {
          prepared.append(try step(plan).prepare(origin, published.series[plan.series]?.metadata))
        }
        try publish(prepared.compactMap(\.metadata))
      } catch {
        for case .change(let change, _, _) in prepared { change.rollBack() }
        throw error
      }
      try settle(prepared)
      try publishSnapshots(isForced: forcingSnapshot)
    }

    private func step(_ plan: SeriesPlan) -> SeriesStep {
      SeriesStep(
        plan: plan, job: job, publication: publisher.publication, stateFolder: publisher.stateFolder, now: now
      )
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
      let objects = try SnapshotPublication(publisher.publication, plan, job)
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
      let memory = PruningMemory(publisher.stateFolder)
      let known = try memory.read()
      let found = try publisher.publication.prunableFiles(published.delegatedSeries)
      let (remove, next) = Pruning(graceSeconds: job.graceSeconds)
        .decide(found: found, named: published.namedFiles, memory: known, now: now)
      for file in remove { try publisher.publication.remove(file) }
      if next != known { try memory.write(next) }
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
