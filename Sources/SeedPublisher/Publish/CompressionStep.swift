import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The second half of a step. Publishes the snapshots that are due, and further encodings of the newest
/// snapshot and of each large delta that is merged or begins a minor. Holds the publication's lock while it
/// draws (copies) the working copy and while it lists an object, but not during compression. Other versions
/// may be published meanwhile, so it then reads the metadata again, and ``ObjectListing`` decides whether the
/// object may still be listed. A separate lock prevents two processes from compressing the same object.
struct CompressionStep {
  private let context: StepContext
  private var published: PublishedMetadata
  private var report: StepReport

  private var job: DatasetJob { context.job }

  /// Publishes due snapshots, then missing encodings. If it throws, `report` is complete up to the error.
  static func run(
    _ context: StepContext, after published: PublishedMetadata, _ report: inout StepReport
  ) throws {
    var step = CompressionStep(context: context, published: published, report: report)
    defer { report = step.report }
    for plan in context.plans where !context.job.isRetired(plan.series) { try step.dropLostSnapshots(plan) }
    for plan in context.plans where !context.job.isRetired(plan.series) {
      guard let metadata = step.metadata(plan), context.isSnapshotDue(metadata) else { continue }
      // Waits for another process only if the operator requested the snapshot.
      try step.alone(plan, context.options.forcingSnapshot ? .long : nil) { try $0.publishSnapshot(plan) }
    }
    for plan in context.job.activePlans where step.missingEncoding(plan) != nil {
      try step.alone(plan, nil) { try $0.publishEncodings(plan) }
    }
  }

  /// Does nothing if `patience` is nil and another process is compressing.
  private mutating func alone(
    _ plan: SeriesPlan, _ patience: LockFile.Patience?, _ body: (inout CompressionStep) throws -> Void
  ) throws {
    let lock = context.publication.snapshotLock(of: plan.series)
    if let patience {
      try lock.hold(patience) { try body(&self) }
    } else {
      _ = try lock.holdIfFree { try body(&self) }
    }
  }

  private func metadata(_ plan: SeriesPlan) -> SeriesMetadata? { published.series[plan.series]?.metadata }

  /// Stops listing snapshots whose files are missing or damaged. Without this, no snapshot of the same version could be
  /// made again.
  private mutating func dropLostSnapshots(_ plan: SeriesPlan) throws {
    let lost = try metadata(plan).map(context.lostSnapshots) ?? []
    guard !lost.isEmpty else { return }
    try context.publisher.withPublication(.long) { published in
      self.published = published
      // Another process may have dropped them meanwhile.
      guard let metadata = metadata(plan), metadata.objects.contains(where: lost.contains) else { return }
      try publish(metadata.without(lost))
      for path in lost.map(\.filePath).sorted() {
        report.warnings.append("\(path) was missing or damaged, and is no longer listed")
      }
    }
  }

  private mutating func publishSnapshot(_ plan: SeriesPlan) throws {
    guard let drawn = try draw(plan, { try $0.open().copy }) else { return }
    do {
      try list(try context.maker(plan).finish(drawn), drawn.epoch, plan)
    } catch let flaw as NotASeed {
      // A manual edit may have damaged search tables or indexes, which steps do not compare. The published files are
      // sound.
      guard let drawn = try draw(plan, { try $0.rebuild() }) else { return }
      report.warnings.append("\(plan.series): the working copy was rebuilt: \(flaw)")
      try list(try context.maker(plan).finish(drawn), drawn.epoch, plan)
    }
  }

  /// Draws the working copy that `open` returns. Returns `nil` if no snapshot is due any more.
  private mutating func draw(
    _ plan: SeriesPlan, _ open: (WorkingCopyOpener) throws -> WorkingCopy
  ) throws -> SeedMeta? {
    try context.publisher.withPublication(.long) { published in
      self.published = published
      guard let metadata = metadata(plan), context.isSnapshotDue(metadata) else { return nil }
      return try context.maker(plan).draw(
        try open(WorkingCopyOpener(context: context, plan: plan, published: metadata)))
    }
  }

  private mutating func publishEncodings(_ plan: SeriesPlan) throws {
    while let (object, encoding) = missingEncoding(plan), let metadata = metadata(plan) {
      let draft = try context.maker(plan).draft(of: object, in: encoding)
      guard try list(draft, from: object, metadata.state.epoch, plan) else { return }
    }
  }

  private func missingEncoding(_ plan: SeriesPlan) -> (PublishedObject, ContentEncoding)? {
    metadata(plan).flatMap { ObjectListing.missingEncoding(job.encodings, of: $0) }
  }

  @discardableResult
  private mutating func list(
    _ draft: ObjectDraft, from source: PublishedObject? = nil, _ epoch: Epoch, _ plan: SeriesPlan
  ) throws -> Bool {
    defer { draft.remove() }
    return try context.publisher.withPublication(.long) { published in
      self.published = published
      guard let metadata = metadata(plan),
        ObjectListing.canList(draft.object, from: source, of: epoch, in: metadata)
      else {
        let isBack = metadata(plan).map { $0.state.head < draft.object.version } ?? false
        report.warnings.append(
          "\(draft.object.targetPath) is not listed, because the publication "
            + (isBack ? "has gone back to an older version" : "changed meanwhile"))
        return false
      }
      try draft.place(in: context.publication)
      try publish(try listing(draft.object, metadata, plan))
      return true
    }
  }

  private mutating func publish(_ metadata: SeriesMetadata) throws {
    var update = try PublicationUpdate(
      context.publisher, lifetimeSeconds: job.lifetimeSeconds, now: context.now, after: published,
      context.options)
    // Otherwise new targets metadata could take the version of an interrupted change.
    try update.adoptPending()
    try update.publish([metadata])
    published = update.published
    try context.prune(published, &report)
    report.warnings += update.warnings.filter { !report.warnings.contains($0) }
  }

  /// Lists the snapshot. For a new version, also lists one delta that spans all versions since the previous snapshot.
  private mutating func listing(
    _ snapshot: PublishedObject, _ metadata: SeriesMetadata, _ plan: SeriesPlan
  ) throws -> SeriesMetadata {
    var (state, objects) = (metadata.state, metadata.objects + [snapshot])
    if snapshot.encoding == .gzip {
      let least = max(state.floor, objects.newestMinor)
      let before = metadata.newestSnapshot.map { max($0.version, least) }
      let spans = before.map { [DeltaSpan(from: $0, to: snapshot.version)] } ?? []
      let deltas = DeltaPublication(
        publication: context.publication, plan: plan, spillFolder: context.stateFolder,
        copy: try? WorkingCopy(context.copyPath(plan.series)))
      let merged = try deltas.merge(spans, of: metadata.objects)
      report.note(snapshot, merged: merged.objects.compactMap(\.span))
      report.warnings += merged.warnings
      let outcome = Retention(policy: job.policy, isHeld: state.hold != nil).afterSnapshot(
        objects + merged.objects, head: state.head, floor: state.floor, schema: state.schema, now: context.now
      )
      (state.floor, objects) = (outcome.floor, outcome.objects)
    }
    return SeriesMetadata(series: plan.series, state: state, objects: objects)
  }
}

/// Decides which further encodings are made, and whether an object may still be listed if other versions were published
/// while it was compressed. Pure.
enum ObjectListing {
  /// A delta with fewer bytes in gzip gets no further encoding, because it is not worth another file.
  private static let leastDeltaBytes = 64 * 1024

  static func missingEncoding(
    _ encodings: [ContentEncoding], of published: SeriesMetadata
  ) -> (PublishedObject, ContentEncoding)? {
    let listed = Set(published.objects.map(\.kind))
    let merged = published.objects.filter { object in
      object.encoding == .gzip && object.length >= leastDeltaBytes
        && object.span.map { $0.length > 1 || object.schemaBefore != nil } ?? false
    }
    let encodings = encodings.sorted { $0.rawValue < $1.rawValue }
    for object in [published.newestSnapshot].compactMap(\.self) + merged {
      if let encoding = encodings.first(where: { !listed.contains(object.kind.encoded(as: $0)) }) {
        return (object, encoding)
      }
    }
    return nil
  }

  /// `source` is the listed object that was compressed again; nil for a new snapshot.
  static func canList(
    _ object: PublishedObject, from source: PublishedObject?, of epoch: Epoch, in published: SeriesMetadata
  ) -> Bool {
    guard published.state.epoch == epoch else { return false }
    guard let source else { return canList(new: object, published) }
    return published.objects.contains(source) && !published.objects.contains { $0.kind == object.kind }
  }

  private static func canList(new snapshot: PublishedObject, _ published: SeriesMetadata) -> Bool {
    let (state, version) = (published.state, snapshot.version)
    guard state.floor <= version, version <= state.head else { return false }
    let chain = DeltaChain.shortest(
      published.objects, from: version, snapshot.schema, to: state.head, state.schema)
    guard chain != nil, published.newestSnapshot.map({ $0.version < version }) ?? true else { return false }
    // A restored publication may have other rows at the same version.
    return published.objects.allSatisfy { $0.version != version || $0.digest == snapshot.digest }
  }
}
