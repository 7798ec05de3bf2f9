import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedSigning

@Suite struct RepositorySignerTests {
  let repository: SignedRepository

  init() throws {
    repository = try SignedRepository(delegating: [SignedRepository.transit, SeedSeries("water", major: 1)])
  }

  private func load() throws -> PublishedMetadata {
    try PublishedMetadata(root: repository.root) { repository.files[$0] }
  }

  @Test func `the timestamp is written last`() throws {
    let step = try repository.signer.publish(
      [repository.metadata(SignedRepository.transit, head: 2)], after: repository.published,
      keys: repository.keys)
    #expect(step.files.map(\.name) == ["2.transit-2.json", "3.snapshot.json", "timestamp.json"])
    let first = try repository.signer.create(delegating: [], keys: repository.keys)
    #expect(
      first.files.map(\.name) == ["1.root.json", "1.targets.json", "1.snapshot.json", "timestamp.json"])
  }

  @Test func `a publication is read back as it was signed`() throws {
    try repository.publish()
    try repository.publish(SeedSeries("water", major: 1))
    try repository.rotate([.root])
    try repository.renew()
    let loaded = try load()
    #expect(loaded.root == repository.published.root)
    #expect(loaded.timestamp == repository.published.timestamp)
    #expect(loaded.snapshot == repository.published.snapshot)
    #expect(loaded.targets == repository.published.targets)
    #expect(loaded.series == repository.published.series)
    #expect(loaded.delegatedSeries == [SignedRepository.transit, try SeedSeries("water", major: 1)])
    #expect(loaded.series[SignedRepository.transit]?.version == 2)
    #expect(loaded.timestamp.version == 6)
  }

  @Test func `after earlier metadata only changed series are read, and the result is the same`() throws {
    let water = try SeedSeries("water", major: 1)
    try repository.publish()
    try repository.publish(water)
    let changes: [(series: [String], change: () throws -> Void)] = [
      (["transit-2"], { try repository.publish() }), ([], { try repository.renew() }),
      (["transit-2", "water-1"], { try repository.rotate([.series]) }),
      (["transit-2", "water-1"], { try repository.rotate([.root]) }),
    ]
    for (series, change) in changes {
      let (earlier, files) = (try load(), repository.files)
      try change()
      var read: [String] = []
      let loaded = try PublishedMetadata(
        root: repository.root, after: earlier, isUnchanged: { files[$0] == repository.files[$0] },
        read: { name in
          read.append(name)
          return repository.files[name]
        })
      #expect(
        ["transit-2", "water-1"].filter { one in read.contains { $0.hasSuffix("\(one).json") } } == series)
      let fresh = try load()
      #expect(loaded.series == fresh.series && loaded.outdated == fresh.outdated)
    }
  }

  @Test func `a root can be renewed with only its own data`() async throws {
    let root = repository.published.root
    repository.now = repository.now.adding(days: 300)
    var change = try OfflineChange(root: repository.signer.renewedRoot(after: repository.published))
    var some = repository.keys
    some[.root] = Array(some[.root].prefix(2))
    change.sign(with: some, after: repository.published)
    let all = repository.published.series.values.map(\.metadata)
    repository.write(
      try repository.signer.publish(all, adopting: change, after: repository.published, keys: repository.keys)
    )
    let renewed = try load().root
    #expect(renewed.version == 2 && renewed.roles == root.roles && renewed.keys == root.keys)
    #expect(renewed.expires == repository.now.adding(days: RepositorySigner.rootDays))
    try repository.renewTargets()
    _ = try await MetadataClient(root: repository.root).refresh(repository)
  }

  @Test func `a publisher that was down for years can read and renew its publication`() async throws {
    repository.now = repository.now.adding(days: 100)
    let metadata = try #require(try load().series[SignedRepository.transit]).metadata
    repository.write(try repository.signer.publish([metadata], after: load(), keys: repository.keys))
    #expect(try await MetadataClient(root: repository.root).refresh(repository) == metadata)
  }

  @Test func `a tampered publication is not extended`() throws {
    repository.files["1.transit-2.json"]?[40] ^= 1
    #expect(throws: TrustError.self) { try load() }
    repository.files["1.transit-2.json"] = nil
    #expect(throws: TrustError.missingFile(name: "1.transit-2.json")) { try load() }
  }

  @Test func `a step with a wrong key, too few keys or a series without a delegation is never returned`()
    throws
  {
    var wrong = repository.keys
    wrong[.series] = [.generate()]
    let metadata = try repository.metadata(SignedRepository.transit, head: 2)
    #expect(throws: MissingKeys(role: "transit-2", found: 0, needed: 1)) {
      try repository.signer.publish([metadata], after: repository.published, keys: wrong)
    }
    #expect(throws: TrustError.badSignature(role: "root", found: 1, needed: 2)) {
      var change = try OfflineChange(root: repository.signer.renewedRoot(after: repository.published))
      var one = repository.keys
      one[.root] = [one[.root][0]]
      change.sign(with: one, after: repository.published)
      _ = try repository.signer.publish([], adopting: change, after: repository.published, keys: one)
    }
    #expect(throws: MissingKeys(role: "targets", found: 2, needed: 3)) {
      try repository.signer.create(delegating: [], keys: repository.keys, thresholds: [.targets: 3])
    }
    let other = try repository.metadata(SeedSeries("other", major: 1), head: 1)
    #expect(throws: TrustError.missingRole(role: "other-1", place: "targets")) {
      try repository.signer.publish([other], after: repository.published, keys: repository.keys)
    }
  }

  @Test func `a series whose delegation was removed stays in the TUF snapshot role`() async throws {
    let client = MetadataClient(root: repository.root)
    _ = try await client.refresh(repository)
    let water = try SeedSeries("water", major: 1)
    try repository.delegate([water])
    try repository.publish(water)
    #expect(try await client.refresh(repository, water).series == water)
    await #expect(throws: TrustError.missingRole(role: "transit-2", place: "targets")) {
      try await client.refresh(repository)
    }
    #expect(try load().series.keys.sorted() == [water])
  }

  @Test func `equal input gives equal files`() throws {
    #if !canImport(CryptoKit)
    let metadata = try repository.metadata(SignedRepository.transit, head: 2)
    let steps = try (0..<5).map { _ in
      try repository.signer.publish([metadata], after: repository.published, keys: repository.keys)
        .files
    }
    #expect(Set(steps).count == 1)
    #endif
  }

  @Test func `the metadata of one series stays small`() throws {
    #expect(try #require(repository.files["timestamp.json"]).count <= 500)
    #expect(try #require(repository.files["2.snapshot.json"]).count <= 670)
  }
}
