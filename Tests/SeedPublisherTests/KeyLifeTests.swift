import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// Simulates eighteen months, with clients that refresh daily, monthly, and only at the end.
@Suite struct KeyLifeTests {
  private static let days = 18 * 30
  private static let schema = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"

  private let folder: TemporaryFolder
  private let deployment: TestDeployment

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    deployment = try TestDeployment([model("1.0", Self.schema)], in: folder)
    try deployment.change("\(Self.schema) INSERT INTO stop VALUES (1, 'day 0')")
  }

  private func publisher(_ keys: KeyRing) -> Publisher {
    Publisher(deployment.publication, stateFolder: folder("state"), keys: KeySource(keys))
  }

  private var onlineKeys: KeyRing {
    var keys = deployment.keys
    (keys[.root], keys[.targets]) = ([], [])
    return keys
  }

  private func renew(_ role: KeyRole) throws {
    _ = try publisher(deployment.keys).changeKeys(
      lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock
    ) { published, signer in
      try OfflineChange(
        root: role == .root ? signer.renewedRoot(after: published) : nil,
        targets: role == .targets ? signer.renewedTargets(after: published) : nil)
    }
  }

  /// How often the operator renews root and targets; always earlier than warnings require.
  enum Operation: CaseIterable {
    case keysPresent, keysAway

    func isVisit(_ day: Int) -> Bool { self == .keysAway && (day == 150 || day == 310 || day == 460) }
  }

  @Test(.full, arguments: Operation.allCases)
  func `no client is rejected within eighteen months`(_ operation: Operation) async throws {
    let step = publisher(operation == .keysPresent ? deployment.keys : onlineKeys)
    let (daily, monthly, late) = (FileClient(deployment), FileClient(deployment), FileClient(deployment))
    try await late.refresh(at: deployment.clock)
    for day in 1...Self.days {
      deployment.clock = deployment.clock.adding(days: 1)
      if operation.isVisit(day) { for role in [KeyRole.root, .targets] { try renew(role) } }
      if day % 7 == 0 {
        try deployment.origin("UPDATE stop SET name = 'day \(day)'")
        _ = try step.step(deployment.job, now: deployment.clock)
      }
      try await daily.refresh(at: deployment.clock)
      if day % 30 == 0 { try await monthly.refresh(at: deployment.clock) }
    }
    let head = try await late.refresh(at: deployment.clock).state.head
    #expect(head.number == 1 + Self.days / 7)
    let published = try deployment.publication.published()
    #expect(published.root.version >= 2 && published.targets.version >= 4)
  }

  @Test func `a publisher without the keys of root and targets leaves both unchanged`() throws {
    let before = try deployment.publication.published()
    deployment.clock = deployment.clock.adding(days: 170)
    try deployment.origin("UPDATE stop SET name = 'later'")
    _ = try publisher(onlineKeys).step(deployment.job, now: deployment.clock)
    let after = try deployment.publication.published()
    #expect(after.root == before.root && after.targets == before.targets)
    #expect(after.signatures.first { $0.role == "targets" }?.state(at: deployment.clock) == .expiring)
  }

  @Test func `a publication whose signatures have all expired is signed again at the next step`() async throws
  {
    let client = FileClient(deployment)
    try await client.refresh(at: deployment.clock)
    deployment.clock = deployment.clock.adding(days: 800)
    await #expect(throws: TrustError.self) { try await client.refresh(at: deployment.clock) }
    _ = try publisher(deployment.keys).step(deployment.job, now: deployment.clock)
    try await client.refresh(at: deployment.clock)
  }

  @Test func `a renewal does not overtake a pending key change`() throws {
    let half = publisher(onlineKeys)
    let outcome = try half.changeKeys(lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock)
    {
      published, signer in try OfflineChange(root: signer.renewedRoot(after: published))
    }
    guard case .waits(let needs) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(needs.allSatisfy { $0.signed.isEmpty && !$0.isMet })
    deployment.clock = deployment.clock.adding(days: 300)
    _ = try publisher(deployment.keys).step(deployment.job, now: deployment.clock)
    #expect(try deployment.publication.published().root.version == 1)
    let (file, limit) = (folder("state/pending-keys.json"), PublicationDirectory.mostFileBytes)
    let pending = try DurableFile.read(file, limit: limit)
    try half.discardChange()
    _ = try publisher(deployment.keys).step(deployment.job, now: deployment.clock)
    #expect(try deployment.publication.published().root.version == 2)
    // As restored from a backup.
    try DurableFile.write(pending, to: file)
    #expect(throws: PublicationError.noChange) {
      _ = try half.addSignatures(
        lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock
      ) { _, _ in }
    }
  }

  @Test(arguments: [true, false])
  func `after a lost publication, apps accept a new epoch that lacks a retired and a removed series`(
    keepsState: Bool
  ) async throws {
    let schema = Self.schema
    try deployment.use([model("1.0", schema), model("2.0", schema)])
    _ = try deployment.step()
    let parks = try DatasetJob(
      name: "parks", origin: deployment.job.origin, plans: SeriesPlan.plans("parks", [model("1.0", schema)]))
    _ = try deployment.publisher.step(parks, now: deployment.clock)
    let client = FileClient(deployment)
    try await client.refresh(at: deployment.clock)
    let root = try #require(try deployment.publication.metadata("1.root.json"))
    try Folder.removeAll(deployment.publication.path)
    if !keepsState { try Folder.removeAll(folder("state")) }
    deployment.clock = deployment.clock.adding(seconds: 60)
    deployment.job.policy.lifecycles[2] = .retired(message: nil)
    try deployment.publisher.beginEpoch(
      [deployment.job], removed: keepsState ? [] : [parks.plans[0].series], root: root, now: deployment.clock
    ) { _, _ in }
    try await client.refresh(at: deployment.clock)
    #expect(try deployment.publication.published().delegatedSeries == [deployment.job.plans[0].series])
    // Old working copies would stop the steps.
    try Folder.removeAll(folder("state"))
    deployment.job.policy.lifecycles = [:]
    _ = try deployment.step()
    _ = try deployment.publisher.step(parks, now: deployment.clock)
    try await client.refresh(at: deployment.clock)
    #expect(try deployment.publication.published().series.count == 3)
  }

  @Test func `of two revocations at the same time, the later one is refused`() throws {
    try Folder.create(folder("keys"))
    for role in KeyRole.allCases {
      let file = folder("keys/\(KeyFileName(role).text)")
      try KeyFile.write(deployment.keys[role][0], toNewFile: file)
    }
    func actions() throws -> KeyActions {
      try KeyActions(
        KeySearch(folder("keys"), [:]), newIn: [], lifetimeSeconds: RepositorySigner.onlineSeconds,
        rootPath: folder("root.json"), isPrepared: false, now: deployment.clock, publisher: publisher)
    }
    func keyIDs() throws -> [String] {
      try deployment.publication.published().keys(of: .series)?.keyIDs ?? []
    }
    _ = try actions().rotate([.series], to: [], count: 3, threshold: 1)
    let (ids, first, second) = (try keyIDs(), try actions(), try actions())
    _ = try first.revoke(ids[0], for: [], isReplaced: false)
    #expect(throws: Refusal.self) { _ = try second.revoke(ids[1], for: [], isReplaced: false) }
    #expect(try keyIDs() == Array(ids[1...]))
  }

  @Test func `a key change whose last write failed is finished without a targets key`() throws {
    let (step, file) = (publisher(onlineKeys), folder("state/pending-keys.json"))
    var (published, keys) = (try deployment.publication.published(), KeyRing())
    keys[.targets] = [.generate()]
    let signer = RepositorySigner(now: deployment.clock)
    let root = signer.root(replacing: [.targets: keys.verifiers(.targets)], after: published)
    var change = try OfflineChange(
      root: root, targets: signer.renewedTargets(under: root, after: published))
    change.sign(with: deployment.keys.adding(keys), after: published)
    try DurableFile.write(change.bytes, to: file)
    try deployment.origin("UPDATE stop SET name = 'changed'")
    _ = try step.step(deployment.job, now: deployment.clock)
    // As if the write of the root, the last one, had failed.
    try Folder.remove("\(deployment.publication.path)/metadata/2.root.json")
    try DurableFile.write(change.bytes, to: file)
    _ = try step.step(
      deployment.job, StepOptions(forcingSnapshot: true), half: .snapshots, now: deployment.clock)
    _ = try step.step(deployment.job, now: deployment.clock)
    published = try deployment.publication.published()
    #expect(published.root.version == 2 && published.targets.version == change.targets?.signed.version)
    #expect(try deployment.metadata().newestSnapshot?.version.number == 2 && !Folder.exists(file))
  }

  @Test func `a snapshot that is published after an interrupted key change does not undo it`() throws {
    try deployment.change("UPDATE stop SET name = 'changed'")
    let (published, file) = (try deployment.publication.published(), folder("state/pending-keys.json"))
    var keys = deployment.keys
    for role in [KeyRole.targets, .series, .timestamp] { keys[role] = [.generate()] }
    let signer = RepositorySigner(now: deployment.clock)
    let replaced = [KeyRole.targets, .timestamp].map { ($0, keys.verifiers($0)) }
    let root = signer.root(replacing: Dictionary(uniqueKeysWithValues: replaced), after: published)
    let (series, timestamp) = (keys.verifiers(.series), "timestamp.json")
    var change = try OfflineChange(
      root: root,
      targets: signer.targets(
        delegating: published.delegatedSeries, to: series, under: root, after: published))
    change.sign(with: keys, after: published)
    try DurableFile.write(change.bytes, to: file)
    let old = try #require(try deployment.publication.metadata(timestamp))
    let step = publisher(keys.adding(KeyRing([.series: deployment.keys[.series]])))
    _ = try step.finishChange(lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock)
    // As if the write of the timestamp, the last one, had failed.
    try DurableFile.write(old, to: deployment.publication.metadataFile(timestamp))
    try DurableFile.write(change.bytes, to: file)
    let options = StepOptions(forcingSnapshot: true)
    _ = try step.step(deployment.job, options, half: .snapshots, now: deployment.clock)
    _ = try step.step(deployment.job, now: deployment.clock)
    let found = try deployment.publication.published()
    #expect(found.keys(of: .series)?.keyIDs == series.keys.map(\.keyID))
    #expect(try deployment.metadata().newestSnapshot?.version.number == 2)
  }

  @Test func `a publisher that runs since before a change reads its new keys to finish it`() throws {
    var (published, keys) = (try deployment.publication.published(), deployment.keys)
    keys[.timestamp] = [.generate()]
    var change = try OfflineChange(
      root: RepositorySigner(now: deployment.clock).root(
        replacing: [.timestamp: keys.verifiers(.timestamp)], after: published))
    change.sign(with: keys, after: published)
    // As left by a crash.
    try DurableFile.write(change.bytes, to: folder("state/pending-keys.json"))
    let source = KeySource(onlineKeys) { [keys] in keys }
    _ = try Publisher(deployment.publication, stateFolder: folder("state"), keys: source).step(
      deployment.job, now: deployment.clock)
    published = try deployment.publication.published()
    #expect(published.root.version == 2 && published.outdated.isEmpty)
  }
}

/// A client that reads the publication's files and keeps its metadata.
final class FileClient {
  private let publication: PublicationDirectory
  private let series: SeedSeries
  private let root: [UInt8]
  private var files: [String: [UInt8]] = [:]

  /// Ships with the first root.
  init(_ deployment: TestDeployment) {
    publication = deployment.publication
    series = deployment.job.plans[0].series
    root = (try? publication.metadata("1.root.json")) ?? []
  }

  @discardableResult
  func refresh(at now: UTCTime) async throws -> SeriesMetadata {
    let publication = publication
    let stored = StoredMetadata(read: { self.files[$0] }, persist: { self.files[$0] = $1 })
    return try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: stored, fetch: { name, _ in try publication.metadata(name) },
      now: now)
  }
}
