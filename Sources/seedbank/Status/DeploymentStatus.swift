import SeedDatabase
import SeedFormat
import SeedFront
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

struct DeploymentStatus {
  let now: UTCTime
  let series: [LocalSeriesStatus]
  let keys: [KeyStatus]
  typealias Role = (name: String, version: Int, expires: UTCTime)
  let roles: [Role]
  let mirrors: [MirrorStatus]
  let verification: VerificationFacts?
  let publicationBytes: Int
  let stateBytes: Int
  let warnings: [String]
  /// The warnings about problems that keep clients from getting data.
  let failures: [String]

  init(
    _ configuration: DeploymentConfiguration, _ datasets: [DatasetConfiguration], _ search: KeySearch,
    now: UTCTime
  ) throws {
    self.now = now
    let publication = PublicationDirectory(configuration.publication)
    try publication.checkRoots(shipped: configuration.rootPath)
    let published = try publication.published()
    let publisher = try PublisherStanding(configuration, published, search)
    keys = publisher.keys
    series = try datasets.flatMap { dataset in
      try dataset.plans().map {
        var one = LocalSeriesStatus(
          $0, dataset, published.series[$0.series], publication.facts.read($0.series), now: now)
        one.needsTargetsKey = publisher.lacksTargetsKey(for: $0.series)
        return one
      }
    }
    roles = [
      ("root", published.root.version, published.root.expires),
      ("targets", published.targets.version, published.targets.expires),
      ("snapshot", published.snapshot.version, published.snapshot.expires),
      ("timestamp", published.timestamp.version, published.timestamp.expires),
    ]
    mirrors = configuration.mirrors.map {
      MirrorStatus($0, in: configuration.state, shows: published.timestamp.version)
    }
    verification = publication.facts.read()
    publicationBytes = bytes(below: configuration.publication)
    stateBytes = bytes(below: configuration.state)
    let standing = SignatureStatus(
      published, pending: publisher.pending, lifetime: configuration.shortestLifetime, now: now)
    let unserved = series.filter { publisher.unserved.contains($0.series) }
    let missing = series.compactMap { $0.missing(from: publication) }
    let unsound = verification.flatMap(\.warning).map { [$0] } ?? []
    failures = unsound + standing.expired + unserved.flatMap(\.warnings) + missing
    warnings =
      unsound + standing.warnings + missing + keys.flatMap(\.faults).map(\.text) + series.flatMap(\.warnings)
      + series.compactMap { $0.doubt(of: now) } + publisher.fullDisks.map(Self.words)
      + publisher.abandoned.map(\.warning) + datasets.compactMap(Self.gain)
      + datasets.compactMap(Self.reading)
      + mirrors.compactMap { [series] in $0.warning(now, besides: series.flatMap(\.warnings)) }
  }

  private static func words(_ disk: (folder: String, freeBytes: Int)) -> String {
    "\(disk.folder): the disk is almost full, \(ByteCount(bytes: disk.freeBytes)) left: steps fail when it is full"
  }

  /// Warns of additions to the origin. Ignores an unreadable origin, because steps report it.
  private static func gain(_ dataset: DatasetConfiguration) -> String? {
    guard let job = try? DatasetJob(dataset), let origin = try? job.origin.open(waitSeconds: 0),
      let gain = try? job.gain(of: origin), !gain.isEmpty
    else { return nil }
    return "\(dataset.name): \(gain.warning)"
  }

  private static func reading(_ dataset: DatasetConfiguration) -> String? {
    OriginReading.newest(of: dataset.name, in: dataset.stateFolder).warning.map { "\(dataset.name): \($0)" }
  }
}

struct LocalSeriesStatus {
  let series: SeedSeries
  let dataset: DatasetConfiguration
  let published: PublishedMetadata.PublishedSeries?
  let facts: SeriesFacts?
  let copy: CopyStatus
  let rows: [String: Int]?
  let copyBytes: Int
  let lastBuild: StepRecord?
  let nextSnapshot: UTCTime?
  /// Nil if no log is configured or used yet.
  let log: OriginLogStanding?
  /// The time since which the origin, a replica, has been behind the published data; nil if it is not behind.
  let behindSince: UTCTime?
  let reading: OriginReading
  fileprivate var needsTargetsKey = false
  private let newestModel: ModelVersion

  init(
    _ plan: SeriesPlan, _ dataset: DatasetConfiguration, _ published: PublishedMetadata.PublishedSeries?,
    _ facts: SeriesFacts?, now: UTCTime
  ) {
    (series, self.dataset, self.published, self.facts) = (plan.series, dataset, published, facts)
    let folder = dataset.stateFolder
    newestModel = plan.newest.version
    copy = CopyStatus(of: plan.series, in: folder)
    rows = copy.version == published?.metadata.state.head ? copy.rows : nil
    copyBytes = bytes(of: CopyStatus.path(plan.series, folder))
    lastBuild = try? StepHistory(folder).latest(of: plan.series)
    log = dataset.logStanding(of: plan.series)
    behindSince = SeenPlace(plan.series, in: folder).behindSince
    reading = OriginReading.newest(of: plan.series.dataset, in: folder)
    nextSnapshot = published?.metadata.nextSnapshot(afterSeconds: dataset.policy.snapshotSeconds, now: now)
  }

  private var objects: [PublishedObject] { published?.metadata.objects ?? [] }

  var snapshots: [PublishedObject] {
    objects.filter { $0.span == nil }
      .sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
  }

  var deltas: [PublishedObject] { objects.filter { $0.span != nil } }

  var deltaBytes: Int { deltas.reduce(0) { $0 + $1.length } }

  /// No step publishes or repairs a retired series.
  private var isRetired: Bool { published?.metadata.state.lifecycle.isRetired ?? dataset.isRetired(series) }

  var warnings: [String] {
    if isRetired { return [] }
    guard let published else { return ["\(series): nothing is published yet\(absence)"] }
    var warnings: [String] = []
    if let hold = published.metadata.state.hold {
      warnings.append(
        "\(series): held at the content of version \(hold.version) since \(hold.since): "
          + SeriesProblem.held.words(in: series.dataset).remedy)
    }
    if let build = lastBuild, build.outcome.isFailure { warnings.append("\(series): \(build.failure)") }
    if isModelWaiting {
      warnings.append(
        "\(series): model \(newestModel) is not published yet: restart 'seedbank run', or run 'seedbank regenerate'"
      )
    }
    if copy.isUnreadable {
      let remedy = SeriesProblem.copyUnreadable.words(in: series.dataset).remedy
      warnings.append("\(series): the working copy cannot be read: \(remedy)")
    }
    if let doubt = log?.doubt { warnings.append("\(series): \(doubt)") }
    return warnings
  }

  /// Reports published files that are missing or have a wrong length; `verify` checks their contents.
  fileprivate func missing(from publication: PublicationDirectory) -> String? {
    let bad = objects.filter { !publication.holds($0) }
    guard let first = bad.first else { return nil }
    let more = bad.count > 1 ? " and \(bad.count - 1) more" : ""
    let remedy = SeriesProblem.filesMissing.words(in: series.dataset).remedy
    return "\(series): \(first.filePath)\(more): missing, or its length is wrong: \(remedy)"
  }

  /// Warns of a date in the future, which hides the data's age.
  fileprivate func doubt(of now: UTCTime) -> String? {
    guard let status = status(StatusCheck.Limits()), status.problems(at: now).contains(.clocksDiffer)
    else { return nil }
    let date = max(status.publishedAt, status.steps?.newestAt ?? status.publishedAt)
    return "\(series): its newest date, \(date), is ahead of this clock, so the data's age is unknown: "
      + SeriesProblem.clocksDiffer.words(in: series.dataset).remedy
  }

  /// Whether a minor was added after the last step, and no other warning explains why it is not published.
  private var isModelWaiting: Bool {
    guard let state = published?.metadata.state, state.hold == nil, behindSince == nil else { return false }
    return lastBuild?.outcome.isFailure != true && state.model < newestModel
  }

  private var absence: String {
    if let build = lastBuild, build.outcome.isFailure { return "; \(build.failure)" }
    return needsTargetsKey
      ? "; \(PublicationError.notDelegated(series: "\(series)"))"
      : "; 'seedbank regenerate' publishes it, or reports why not"
  }
}

/// A series' working copy. A copy without `version` and `rows` may be sound: a step may be writing a large
/// change, or may have been killed during one. After 'seedbank recover', it is missing until the next step.
struct CopyStatus {
  private(set) var version: SeedVersion?
  private(set) var rows: [String: Int]?
  private(set) var isUnreadable = false

  init(of series: SeedSeries, in folder: String) {
    guard Folder.exists(Self.path(series, folder)) else { return }
    do {
      let copy = try Connection(Self.path(series, folder), .reader)
      try copy.execute("PRAGMA busy_timeout = 1000")
      (version, rows) = (try SeedTables.meta(copy).version, try SeedTables.sums(copy).mapValues(\.rows))
    } catch {
      // A running step holds the lock. If a step was killed, the next one rolls back its unfinished change.
      let waits = (error as? DatabaseError).map { $0.primaryCode == ResultCode.busy || $0.saysUnfinished }
      isUnreadable = waits != true
    }
  }

  fileprivate static func path(_ series: SeedSeries, _ folder: String) -> String {
    "\(folder)/\(series.roleName).sqlite"
  }
}

private func bytes(of path: String) -> Int { (try? FileStamp(path))?.size ?? 0 }

private func bytes(below folder: String) -> Int {
  let names = (try? Folder.names(in: folder)) ?? []
  return names.map { "\(folder)/\($0)" }.reduce(0) {
    $0 + (Folder.leadsToFolder($1) ? bytes(below: $1) : bytes(of: $1))
  }
}
