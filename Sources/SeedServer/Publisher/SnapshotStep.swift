import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Publishes the snapshots that are due, at whatever version their series has when they are drawn.
///
/// The publication's lock is held while a copy is drawn and while a snapshot is listed, and not in between: other
/// steps publish meanwhile. Then what is published is read again, and ``SnapshotListing`` says whether the snapshot
/// still belongs there. A lock of its own sees to it that nobody else makes snapshots of the series.
struct SnapshotStep {
  private let publisher: Publisher
  private let job: DatasetJob
  private let options: StepOptions
  private let now: UTCTime
  /// As it was when it was last read.
  private var published: PublishedMetadata

  init(
    publisher: Publisher, job: DatasetJob, options: StepOptions, now: UTCTime, published: PublishedMetadata
  ) {
    self.publisher = publisher
    self.job = job
    self.options = options
    self.now = now
    self.published = published
  }

  /// Every snapshot that is due, then what they lack in other encodings; what a crash left out comes here too. Whatever
  /// is thrown, the report tells what was published before.
  mutating func run(_ report: inout StepReport) throws {
    for plan in options.plans(of: job) where !job.isRetired(plan.series) {
      guard isDue(plan.series, published) else { continue }
      // Who asks for a snapshot waits until it can be made; who only finds it due leaves it to whoever is at it.
      try alone(plan, options.forcingSnapshot ? .waiting : .refusing) { step in
        try step.publishSnapshot(plan, &report)
      }
    }
    for plan in job.plans where !job.isRetired(plan.series) && missingEncoding(plan) != nil {
      try alone(plan, .refusing) { step in try step.publishEncodings(plan, &report) }
    }
  }

  private mutating func alone(
    _ plan: SeriesPlan, _ patience: PublicationLock.Patience, _ body: (inout SnapshotStep) throws -> Void
  ) throws {
    _ = try PublicationLock.holdSnapshots(of: plan.series, publisher.publication, patience) {
      try body(&self)
    }
  }

  private func isDue(_ series: Series, _ published: PublishedMetadata) -> Bool {
    published.series[series]?.metadata.isSnapshotDue(job, isForced: options.forcingSnapshot, now: now) == true
  }

  private func snapshots(_ plan: SeriesPlan) -> SnapshotPublication {
    SnapshotPublication(publisher, plan, job, now: now)
  }

  // MARK: Snapshots

  private mutating func publishSnapshot(_ plan: SeriesPlan, _ report: inout StepReport) throws {
    guard let drawn = try draw(plan, { try $0.open().copy }) else { return }
    do {
      try list(try snapshots(plan).finish(drawn), drawn.epoch, plan, &report)
    } catch let flaw as NotASeed {
      // What a step does not look at may have been edited by hand: search tables, indexes. The published one is sound.
      guard let drawn = try draw(plan, { try $0.rebuild() }) else { return }
      report.warnings.append("\(plan.series): the working copy was made anew: \(flaw)")
      try list(try snapshots(plan).finish(drawn), drawn.epoch, plan, &report)
    }
  }

  /// The state of the copy that `open` gives, at its head; `nil` where meanwhile nothing is due any more.
  private mutating func draw(
    _ plan: SeriesPlan, _ open: (CopyKeeper) throws -> WorkingCopy
  ) throws -> SeedMeta? {
    try publisher.working(.waiting) { published in
      self.published = published
      guard isDue(plan.series, published), let metadata = published.series[plan.series]?.metadata else {
        return nil
      }
      let path = WorkingCopy.path(of: plan.series, in: publisher.stateFolder)
      let keeper = CopyKeeper(publisher.publication, plan, metadata, path: path)
      return try snapshots(plan).draw(try open(keeper))
    }
  }

  // MARK: Encodings

  private mutating func publishEncodings(_ plan: SeriesPlan, _ report: inout StepReport) throws {
    while let (snapshot, encoding) = missingEncoding(plan), let metadata = published.series[plan.series] {
      let draft = try snapshots(plan).draft(of: snapshot, in: encoding)
      guard try list(draft, metadata.metadata.state.epoch, plan, &report) else { return }
    }
  }

  private func missingEncoding(_ plan: SeriesPlan) -> (PublishedObject, ContentEncoding)? {
    guard let metadata = published.series[plan.series]?.metadata, let newest = metadata.newestSnapshot,
      let encoding = snapshots(plan).missingEncoding(of: newest, among: metadata.objects)
    else { return nil }
    return (newest, encoding)
  }

  // MARK: Listing

  /// Lists a draft where it still belongs into what is published by now; returns whether it does.
  @discardableResult
  private mutating func list(
    _ draft: SnapshotDraft, _ epoch: Epoch, _ plan: SeriesPlan, _ report: inout StepReport
  ) throws -> Bool {
    defer { try? Folder.remove(draft.path) }
    return try publisher.working(.waiting) { published in
      self.published = published
      let metadata = published.series[plan.series]?.metadata
      let obstacle = SnapshotListing.obstacle(to: draft.object, of: epoch, in: metadata)
      guard let metadata, obstacle == nil else {
        report.warnings.append("\(draft.object.targetPath) is not listed: \(obstacle?.description ?? "")")
        return false
      }
      try list(draft, metadata, plan, &report)
      return true
    }
  }

  private mutating func list(
    _ draft: SnapshotDraft, _ metadata: SeriesMetadata, _ plan: SeriesPlan, _ report: inout StepReport
  ) throws {
    try snapshots(plan).place(draft)
    var update = try PublicationUpdate(
      publisher, lifetimeSeconds: job.lifetimeSeconds, now: now, after: published)
    try update.publish([try listing(draft.object, metadata, plan, &report)])
    published = update.published
    report.pruned += try update.prune(job)
    report.warnings += update.warnings.filter { !report.warnings.contains($0) }
  }

  /// The series with the snapshot, and where that is a new one, with one delta that leads over all since the one before.
  private func listing(
    _ snapshot: PublishedObject, _ metadata: SeriesMetadata, _ plan: SeriesPlan, _ report: inout StepReport
  ) throws -> SeriesMetadata {
    var (state, objects) = (metadata.state, metadata.objects + [snapshot])
    if snapshot.encoding == .gzip {
      let merged = try mergeBefore(snapshot, metadata, plan)
      report.note(snapshot, merged: merged.objects.compactMap(\.span))
      report.warnings += merged.warnings
      let outcome = Retention(job).afterSnapshot(
        objects + merged.objects, head: state.head, floor: state.floor, schema: plan.schema.hash, now: now)
      (state.floor, objects) = (outcome.floor, outcome.objects)
    }
    return SeriesMetadata(series: plan.series, state: state, objects: objects)
  }

  private func mergeBefore(
    _ snapshot: PublishedObject, _ metadata: SeriesMetadata, _ plan: SeriesPlan
  ) throws -> DeltaPublication.Merged {
    let spans = metadata.newestSnapshot.map { [DeltaSpan(from: $0.version, to: snapshot.version)] } ?? []
    return try DeltaPublication(publisher.publication, plan, spillFolder: publisher.stateFolder)
      .merge(spans.filter { $0.from >= metadata.state.floor }, of: metadata.objects)
  }
}
