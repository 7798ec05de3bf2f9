import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// What a publish step would do now: everything is tried, and nothing is written that stays.
struct StepPreview {
  let publisher: Publisher
  let job: DatasetJob
  let options: StepOptions
  let now: UTCTime
  let published: PublishedMetadata

  /// The report that a step would give.
  func report() throws -> StepReport {
    var report = StepReport()
    report.isPreview = true
    _ = try publisher.newSeries(of: job, after: published)
    let origin =
      try job.isRetired
      ? nil : SQLiteOrigin(job.originPath, patienceSeconds: job.originPatienceSeconds)
    for plan in job.plans {
      let metadata = published.series[plan.series]?.metadata
      var series = try preview(plan, origin, metadata)
      if series.hasSnapshot { series.expectedSnapshotBytes = metadata?.newestSnapshot?.length }
      report.series.append(series)
      report.warnings += series.warnings
    }
    report.pruned = try prunable()
    return report
  }

  private func preview(
    _ plan: SeriesPlan, _ origin: SQLiteOrigin?, _ published: SeriesMetadata?
  ) throws -> SeriesReport {
    let step = SeriesStep(
      plan: plan, job: job, publisher: publisher, options: options, now: now, date: now)
    switch (try step.course(published), origin) {
    case (.hold, _):
      return SeriesReport(series: plan.series, outcome: .held, version: published?.state.head)
    case (.rest, _), (_, nil):
      return SeriesReport(series: plan.series, outcome: .retired, version: published?.state.head)
    case (.found(let version, let epoch), let origin?):
      return try previewFoundation(step, origin, step.foundingMeta(at: version, epoch: epoch), published)
    case (.follow(let published), let origin?): return try previewChange(step, origin, published)
    }
  }

  private func previewFoundation(
    _ step: SeriesStep, _ origin: SQLiteOrigin, _ meta: SeedMeta, _ published: SeriesMetadata?
  ) throws -> SeriesReport {
    try step.refuseCopyWithoutPublication(published)
    let copy = try WorkingCopy(trying: origin, step.plan, meta)
    var report = SeriesReport(series: step.plan.series, outcome: .founded, version: meta.version)
    report.rows = try copy.sums().mapValues(\.rows)
    report.shrunk = try step.shrunk(copy, published)
    report.warnings = step.plan.warnings
    report.hasSnapshot = true
    return report
  }

  private func previewChange(
    _ step: SeriesStep, _ origin: SQLiteOrigin, _ published: SeriesMetadata
  ) throws -> SeriesReport {
    let series = step.plan.series
    guard let change = try findChange(step, origin, published) else {
      var report = SeriesReport(series: series, outcome: .unchanged, version: published.state.head)
      report.hasSnapshot = published.isSnapshotDue(job, isForced: options.forcingSnapshot, now: now)
      return report
    }
    defer { change.rollBack() }
    var report = SeriesReport(series: series, outcome: .changed, version: change.delta.header.to)
    report.changes = change.changes
    report.shrunk = change.shrunk
    report.rows = try change.copy.sums().mapValues(\.rows)
    report.deltaBytes = change.delta.stored.length
    report.merged = DeltaLevels.due(at: change.delta.header.to, floor: published.state.floor)
    var next = published
    next.state.head = change.delta.header.to
    report.hasSnapshot = next.isSnapshotDue(job, isForced: options.forcingSnapshot, now: now)
    report.merged += snapshotSpan(report, published).filter { !report.merged.contains($0) }
    return report
  }

  /// What a due snapshot makes one delta of.
  private func snapshotSpan(_ report: SeriesReport, _ published: SeriesMetadata) -> [DeltaSpan] {
    guard report.hasSnapshot, let newest = published.newestSnapshot, let head = report.version else {
      return []
    }
    let span = DeltaSpan(from: newest.version, to: head)
    return span.length > 1 && span.from >= published.state.floor ? [span] : []
  }

  /// The change against the working copy, or against one made for this look where that one needs mending.
  private func findChange(
    _ step: SeriesStep, _ origin: SQLiteOrigin, _ published: SeriesMetadata
  ) throws -> SeriesChange? {
    let draft = "\(step.copyPath).delta\(DurableFile.temporarySuffix)"
    var source = step.source(origin, draftPath: draft)
    source.isPreview = true
    let keeper = CopyKeeper(publisher.publication, step.plan, published, path: step.copyPath)
    if let copy = try keeper.openIfWhole() {
      do {
        return try SeriesChange.find(source, copy)
      } catch is CopyDamaged {}
    }
    let path = step.copyPath + ".preview"
    defer { try? WorkingCopy.remove(path) }
    return try SeriesChange.find(
      source, try CopyKeeper(publisher.publication, step.plan, published, path: path).rebuild())
  }

  private func prunable() throws -> [String] {
    try publisher.publication.prune(
      published, PruningMemory(publisher.stateFolder), publisher.pruning(job), now: now,
      isDryRun: true
    ).removed
  }
}
