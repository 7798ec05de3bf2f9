import SeedDatabase
import SeedFormat
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
  package func step(
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false
  ) throws -> StepReport {
    let options = StepOptions(forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink)
    return try working { published in
      var step = PublishStep(publisher: self, job: job, options: options, now: now, published: published)
      return try step.run()
    }
  }

  /// What a step would do now. Nothing is written that stays.
  package func preview(
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false
  ) throws -> StepReport {
    let options = StepOptions(forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink)
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
