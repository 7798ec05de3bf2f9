import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

import class Foundation.FileManager
import class Foundation.NSNumber

/// Problems on the publisher's machine except failed steps. `status` shows details; the published facts do not.
struct PublisherStanding {
  let keys: [KeyStatus]
  let pending: OfflineChange
  /// Folders on almost full disks, one per disk, with the free bytes.
  let fullDisks: [(folder: String, freeBytes: Int)]
  let abandoned: [AbandonedSeries]
  let unpublished: [SeedSeries]
  private let published: PublishedMetadata
  private let configuration: DeploymentConfiguration

  init(_ configuration: DeploymentConfiguration, _ published: PublishedMetadata, _ search: KeySearch) throws {
    (self.configuration, self.published) = (configuration, published)
    keys = try KeyStatus.all(search, trustedBy: published)
    // Gets no keys, because pending changes can be read without them.
    pending = try Publisher(configuration, keys: KeySource(KeyRing())).pendingChange()
    fullDisks = Self.fullDisks(
      [configuration.publication, configuration.state], beside: published.objectBytes)
    abandoned = AbandonedSeries.all(in: published, besides: configuration.series)
    unpublished = configuration.datasets.flatMap { dataset in
      dataset.series.filter { published.series[$0] == nil && !dataset.isRetired($0) }
    }.sorted()
  }

  /// The ``unpublished`` series of datasets that have no published series. A new major of a published dataset is not urgent.
  var unserved: [SeedSeries] {
    let served = Set(configuration.series.filter { published.series[$0] != nil }.map(\.dataset))
    return unpublished.filter { !served.contains($0.dataset) }
  }

  func lacksTargetsKey(for series: SeedSeries) -> Bool {
    !published.delegatedSeries.contains(series) && !keys.contains { $0.role == .targets && $0.canSign }
  }

  private static func fullDisks(_ folders: [String], beside published: Int) -> [(
    folder: String, freeBytes: Int
  )] {
    var seen: Set<NSNumber> = []
    return folders.compactMap { folder in
      let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
      guard let use = DiskUse(of: folder), use.isNearlyFull(beside: published),
        let disk = facts?[.systemNumber] as? NSNumber, seen.insert(disk).inserted
      else { return nil }
      return (folder, Int(use.freeBytes))
    }
  }

  var facts: PublisherFacts {
    var facts = PublisherFacts()
    facts.problems = Set(PublisherProblem.allCases.filter(isTrue))
    for one in abandoned { facts.doubts[one.series, default: []].insert(.noModel) }
    for dataset in configuration.datasets {
      for series in dataset.series where published.series[series] != nil {
        let doubts = dataset.doubts(of: series)
        if !doubts.isEmpty { facts.doubts[series, default: []].formUnion(doubts) }
      }
    }
    return facts
  }

  private func isTrue(_ problem: PublisherProblem) -> Bool {
    switch problem {
    case .datasetUnpublished: !unserved.isEmpty
    case .modelUnpublished: unpublished.count > unserved.count
    case .keyFiles: keys.contains { !$0.faults.isEmpty }
    case .keyChange: !pending.isEmpty
    // Only the disk of the state folder, because a front checks the publication's disk.
    case .stateDisk: fullDisks.contains { $0.folder == configuration.state }
    }
  }
}

extension DatasetConfiguration {
  func isRetired(_ series: SeedSeries) -> Bool { policy.lifecycles[series.major]?.isRetired == true }

  fileprivate func doubts(of series: SeedSeries) -> Set<SeriesDoubt> {
    var doubts: Set<SeriesDoubt> = []
    if CopyStatus(of: series, in: stateFolder).isUnreadable { doubts.insert(.copy) }
    if logStanding(of: series)?.doubt != nil { doubts.insert(.log) }
    return doubts
  }

  func logStanding(of series: SeedSeries) -> OriginLogStanding? {
    policy.changes == .log ? OriginLogStanding(of: series, in: stateFolder) : nil
  }
}

extension Deployment {
  /// Updates the published facts, or removes them if they are disabled. Ignores failures.
  func updateFacts(_ context: Context) {
    guard publication.exists else { return }
    guard configuration.hasFacts else {
      try? publication.facts.write(nil as PublisherFacts?)
      try? publication.facts.write(nil as VerificationFacts?)
      return
    }
    try? publication.facts.write(
      PublisherStanding(configuration, publication.published(), KeySearch(configuration, context)).facts)
  }

  /// Returns a warning for each fault of the key files, which the published facts report without a path.
  func keyWarnings(_ context: Context) throws -> [String] {
    try KeyStatus.all(KeySearch(configuration, context), trustedBy: publication.published())
      .flatMap(\.faults).map(\.text)
  }
}

/// The last recorded state of a mirror. Reading it sends no request.
struct MirrorStatus {
  private let place: String
  private let memory: MirrorMemory
  private let versionsBehind: Int?

  init(_ settings: MirrorSettings, in stateFolder: String, shows version: Int) {
    place = settings.place
    memory = MirrorMemory(file: MirrorMemory.file(of: place, in: stateFolder))
    versionsBehind = memory.commit.map { max(0, version - $0.version) }
  }

  func line(_ now: UTCTime) -> String {
    guard let commit = memory.commit, let versionsBehind else {
      return "\(place): nothing mirrored yet\(reason)"
    }
    let time = memory.behindSince.map { " for \(TimeSpan(from: $0, to: now))" } ?? ""
    guard versionsBehind > 0 else {
      let state = memory.behindSince == nil ? "up to date since" : "failing\(time), last up to date at"
      return "\(place): \(state) \(commit.at)\(reason)"
    }
    let behind = versionsBehind == 1 ? "1 signed state" : "\(versionsBehind) signed states"
    return "\(place): has the state of \(commit.at), \(behind) behind\(time)\(reason)"
  }

  private var reason: String { memory.problem.map { "; \($0)" } ?? "" }

  /// Omits the reason if one of the `others`, such as the error of a refused step, already contains it.
  func warning(_ now: UTCTime, besides others: [String]) -> String? {
    guard memory.behindSince != nil else { return nil }
    let isRepeated = memory.problem.map { problem in others.contains { $0.contains(problem) } } ?? false
    return "the mirror \(line(now).dropLast(isRepeated ? reason.count : 0))"
  }

  var json: JSONValue {
    [
      "place": .string(place), "mirroredAt": JSONValue(memory.commit?.at.text),
      "versionsBehind": JSONValue(versionsBehind),
      "behindSince": JSONValue(memory.behindSince?.text), "problem": JSONValue(memory.problem),
    ]
  }
}
