import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

import class Foundation.FileManager
import class Foundation.NSNumber

struct DeploymentStatus {
  let now: UTCTime
  let series: [SeriesStatus]
  let keys: [KeyStatus]
  typealias Role = (name: String, version: Int, expires: UTCTime)
  let roles: [Role]
  let publicationBytes: Int
  let stateBytes: Int
  let warnings: [String]
  /// Those among the warnings because of which clients get nothing.
  let failures: [String]

  init(
    _ configuration: DeploymentConfiguration, _ datasets: [DatasetConfiguration], _ search: KeySearch,
    now: UTCTime
  ) throws {
    self.now = now
    let publication = PublicationDirectory(configuration.publication)
    let published = try publication.published()
    series = try datasets.flatMap { dataset in
      try dataset.plans().map {
        SeriesStatus($0, dataset, published.series[$0.series], state: configuration.state, now: now)
      }
    }
    keys = try KeyStatus.all(search, trustedBy: published)
    roles = [
      ("root", published.root.version, published.root.expires),
      ("targets", published.targets.version, published.targets.expires),
      ("snapshot", published.snapshot.version, published.snapshot.expires),
      ("timestamp", published.timestamp.version, published.timestamp.expires),
    ]
    publicationBytes = bytes(below: configuration.publication)
    stateBytes = bytes(below: configuration.state)
    // Without keys: what waits for signatures can be told all the same.
    let pending = try Publisher(configuration, keys: KeySource(KeyRing())).pendingChange()
    let standing = SignatureStanding(
      published, pending: pending, lifetime: configuration.shortestLifetime, now: now)
    // A new major beside one that is served keeps nobody from anything.
    let served = Set(series.filter { $0.published != nil }.map(\.series.dataset))
    let unserved = series.filter { $0.published == nil && !served.contains($0.series.dataset) }
    let missing = series.compactMap { $0.missing(from: publication) }
    failures = standing.expired + unserved.flatMap(\.warnings) + missing
    warnings =
      standing.warnings + missing + keys.flatMap(\.faults).map(\.text) + series.flatMap(\.warnings)
      + series.compactMap { $0.doubt(of: now) }
      + Self.fullDisks([configuration.publication, configuration.state])
      + AbandonedSeries.all(in: published, configuration).map(\.warning) + datasets.compactMap(Self.gain)
  }
}

extension DeploymentStatus {
  /// What the origin has and clients do not get; an origin that cannot be read is the steps' to tell of.
  private static func gain(_ dataset: DatasetConfiguration) -> String? {
    guard let origin = try? dataset.place().open(waitSeconds: 0),
      let gain = try? DatasetJob(dataset).gain(of: origin), !gain.isEmpty
    else { return nil }
    return "\(dataset.name): \(gain.warning)"
  }
}

struct SeriesStatus {
  let series: Series
  let published: PublishedMetadata.PublishedSeries?
  let copyVersion: Version?
  let rows: [String: Int]?
  let copyBytes: Int
  let lastBuild: StepRecord?
  let upcoming: UpcomingSnapshots
  let checkSeconds: Int
  private let logDoubt: String?

  init(
    _ plan: SeriesPlan, _ dataset: DatasetConfiguration, _ published: PublishedMetadata.PublishedSeries?,
    state folder: String, now: UTCTime
  ) {
    series = plan.series
    self.published = published
    let copyPath = "\(folder)/\(plan.series.roleName).sqlite"
    let copy = Self.copy(copyPath)
    copyVersion = copy?.meta.version
    let isAtHead = copy?.meta.version == published?.metadata.state.head
    rows = isAtHead ? copy?.sums.mapValues(\.rows) : nil
    copyBytes = bytes(of: copyPath)
    lastBuild = try? StepHistory(folder).latest(of: plan.series)
    checkSeconds = dataset.checkSeconds
    logDoubt = dataset.policy.changes == .log ? OriginLogStanding.doubt(of: plan.series, in: folder) : nil
    let mark = CalendarMark(plan.series, in: folder).time
    upcoming = UpcomingSnapshots(published?.metadata, dataset.policy.snapshotSchedule, seen: mark, now: now)
  }

  /// Reads what the copy says of itself; a copy that cannot be read is told by its version being unknown.
  private static func copy(_ path: String) -> (meta: SeedMeta, sums: [String: TableSum])? {
    guard Folder.exists(path), let copy = try? Connection(path, .reader) else { return nil }
    guard let meta = try? SeedTables.meta(copy), let sums = try? SeedTables.sums(copy) else { return nil }
    return (meta, sums)
  }

  var snapshots: [PublishedObject] {
    (published?.metadata.objects ?? []).filter { if case .snapshot = $0.kind { true } else { false } }
      .sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
  }

  var deltas: [PublishedObject] {
    (published?.metadata.objects ?? []).filter { if case .delta = $0.kind { true } else { false } }
  }

  var deltaBytes: Int { deltas.reduce(0) { $0 + $1.length } }

  var warnings: [String] {
    guard let published else { return ["\(series): nothing is published yet\(absence)"] }
    var warnings: [String] = []
    if let hold = published.metadata.state.hold {
      warnings.append(
        "\(series): held at the content of version \(hold.version) since \(hold.since);"
          + " 'seedbank regenerate --resume' publishes the origin again")
    }
    if let build = lastBuild, build.outcome == .refused || build.outcome == .failed {
      warnings.append("\(series): the last step \(build.outcome.rawValue): \(build.error ?? "")")
    }
    if copyVersion == nil {
      warnings.append("\(series): the working copy cannot be read; the next step rebuilds it")
    }
    if let logDoubt { warnings.append("\(series): all rows are compared: \(logDoubt)") }
    return warnings
  }
}

extension DeploymentStatus {
  /// Bytes of free room below which a step may fail in the midst.
  private static let leastRoom = 16 * 1024 * 1024

  /// One warning for each disk, whatever lies on it.
  private static func fullDisks(_ folders: [String]) -> [String] {
    var told: Set<NSNumber> = []
    return folders.compactMap { folder in
      let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
      guard let free = (facts?[.systemFreeSize] as? NSNumber)?.intValue, free < leastRoom,
        let disk = facts?[.systemNumber] as? NSNumber, told.insert(disk).inserted
      else { return nil }
      return "\(folder): the disk is almost full, \(ByteCount(bytes: free)) are left: steps fail without room"
    }
  }
}

extension SeriesStatus {
  /// Published files that are not there, or not as long as was signed; whether their bytes are right, `verify` says.
  fileprivate func missing(from publication: PublicationDirectory) -> String? {
    let bad = (published?.metadata.objects ?? []).filter { object in
      ((try? FileStamp(publication.file(object))) ?? nil)?.size != object.length
    }
    guard let first = bad.first else { return nil }
    let more = bad.count > 1 ? " and \(bad.count - 1) more" : ""
    return
      "\(series): \(first.filePath)\(more): missing, or of another length than signed: 'seedbank verify' says what to do"
  }

  /// A date ahead of the clock hides how old the data is.
  fileprivate func doubt(of now: UTCTime) -> String? {
    guard let date = published?.metadata.state.publishedAt,
      date > now.adding(seconds: Self.clockToleranceSeconds)
    else { return nil }
    return
      "\(series): published at \(date), which is ahead of this clock: check the clock; how old the data is cannot be told"
  }

  private static let clockToleranceSeconds = 3600

  /// Why, as far as the last step said it.
  private var absence: String {
    guard let build = lastBuild, build.outcome == .refused || build.outcome == .failed else {
      return "; 'seedbank regenerate' publishes it, or says why it cannot"
    }
    return "; the last step \(build.outcome.rawValue): \(build.error ?? "")"
  }
}

private func bytes(of path: String) -> Int { (try? FileStamp(path))?.size ?? 0 }

private func bytes(below folder: String) -> Int {
  let names = (try? Folder.names(in: folder)) ?? []
  return names.map { "\(folder)/\($0)" }.reduce(0) {
    $0 + (Folder.isFolder($1) ? bytes(below: $1) : bytes(of: $1))
  }
}
