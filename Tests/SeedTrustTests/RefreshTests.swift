import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct RefreshTests {
  let repository: SignedRepository
  let client: MetadataClient

  init() throws {
    repository = try SignedRepository()
    client = MetadataClient(root: repository.root)
  }

  @Test func `a first refresh fetches each role once in order of trust and stores it verbatim`()
    async throws
  {
    let series = try await client.refresh(repository)
    #expect(series == (try repository.metadata(SignedRepository.transit, head: 1)))
    #expect(
      repository.requests == [
        "2.root.json", "timestamp.json", "2.snapshot.json", "1.targets.json", "1.transit-2.json",
      ])
    #expect(client.persisted == ["timestamp.json", "snapshot.json", "targets.json", "transit-2.json"])
    #expect(client.files["transit-2.json"] == repository.files["1.transit-2.json"])
    #expect(client.files["timestamp.json"] == repository.files["timestamp.json"])
  }

  @Test func `a later refresh fetches only changes, and writes nothing without one`() async throws {
    let first = try await client.refresh(repository)
    #expect(try await client.refresh(repository) == first)
    #expect(repository.requests == ["2.root.json", "timestamp.json"])
    #expect(client.persisted.isEmpty)
    try repository.renew()
    _ = try await client.refresh(repository)
    #expect(repository.requests == ["2.root.json", "timestamp.json"])
    #expect(client.persisted == ["timestamp.json"])
    try repository.publish()
    let series = try await client.refresh(repository)
    #expect(series.state.head.number == 2 && series.objects.count == 3)
    #expect(
      repository.requests == ["2.root.json", "timestamp.json", "3.snapshot.json", "2.transit-2.json"])
  }

  @Test func `damaged stored metadata is fetched again`() async throws {
    _ = try await client.refresh(repository)
    for name in client.files.keys { client.files[name] = Array("{".utf8) }
    client.files["root.json"] = []
    _ = try await client.refresh(repository)
    #expect(client.persisted == ["timestamp.json", "snapshot.json", "targets.json", "transit-2.json"])
  }

  @Test func `a delegated but unpublished series is reported as missing`() async throws {
    let empty = try SignedRepository(delegating: [SeedSeries("water", major: 1)])
    await #expect(throws: TrustError.missingRole(role: "water-1", place: "snapshot")) {
      try await MetadataClient(root: empty.root).refresh(empty, SeedSeries("water", major: 1))
    }
  }

  @Test func `a repository without a timestamp is reported`() async throws {
    repository.files["timestamp.json"] = nil
    await #expect(throws: TrustError.missingFile(name: "timestamp.json")) {
      try await client.refresh(repository)
    }
  }

  @Test func `a fetcher's error is rethrown`() async throws {
    struct Offline: Error {}
    let stored = StoredMetadata(read: { _ in nil }, persist: { _, _ in })
    await #expect(throws: Offline.self) {
      try await MetadataRefresh.refresh(
        series: SignedRepository.transit, shippedRoot: repository.root, stored: stored,
        fetch: { _, _ in throw Offline() }, now: repository.now)
    }
  }

  @Test func `a role verified for one delegator is verified again for another`() async throws {
    let (targets, other) = (repository.keys[.targets], SigningKey.generate())
    func forge(_ name: String, delegating keys: [String: SigningKey] = [:]) throws {
      let roles = keys.map { role, key in
        Delegations.Role(
          name: role, keys: RoleKeys(RoleVerifiers([key.publicKey])), terminating: false,
          paths: .patterns(["*"]))
      }
      let listed = keys.values.map { ($0.publicKey.keyID, RoleKey($0.publicKey)) }
      let delegations = Delegations(keys: Dictionary(listed) { first, _ in first }, roles: roles)
      let header = RoleHeader(version: 1, expires: repository.now.adding(days: 7))
      try repository.forge(
        Targets(header: header, targets: [:], delegations: delegations), "1.\(name).json", targets)
    }
    try forge("targets", delegating: ["a": targets[0], "b": targets[0]])
    try forge("a", delegating: ["c": targets[0]])
    try forge("b", delegating: ["c": other])
    try forge("c")
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "a.json": 1, "b.json": 1, "c.json": 1])
    var refresh = try MetadataRefresh(
      shippedRoot: client.root, stored: client.stored, fetch: repository.fetch, now: repository.now)
    try await refresh.topLevel()
    for (role, delegator) in [("a", "targets"), ("b", "targets"), ("c", "a")] {
      try await refresh.targets(role, delegator: delegator)
    }
    await #expect(throws: TrustError.badSignature(role: "c", found: 0, needed: 1)) {
      try await refresh.targets("c", delegator: "b")
    }
  }

  @Test(arguments: [
    ("transit-2", "transit-2.json"), ("a/b", "a%2Fb.json"), ("../x", "..%2Fx.json"), ("?", "%3F.json"),
    ("#", "%23.json"), ("é", "%C3%A9.json"), ("%2F", "%252F.json"), ("..", "...json"), ("a b", "a%20b.json"),
    ("\t", "%09.json"), ("timestamp.json", "timestamp.json.json"),
  ])
  func `a role's name is percent-encoded in its file name`(role: String, file: String) {
    #expect(MetadataName.unversioned(role) == file)
  }
}

@Suite struct RootRotationTests {
  let repository: SignedRepository
  let client: MetadataClient

  init() throws {
    repository = try SignedRepository()
    client = MetadataClient(root: repository.root)
  }

  private func replaceAll() throws {
    try repository.rotate(Set(KeyRole.allCases))
    try repository.publish()
  }

  @Test func `a client follows rotations of every key one root after the other`() async throws {
    _ = try await client.refresh(repository)
    for _ in 0..<3 { try replaceAll() }
    #expect(try await client.refresh(repository).state.head.number == 4)
    #expect(repository.requests.prefix(4) == ["2.root.json", "3.root.json", "4.root.json", "5.root.json"])
    #expect(client.files["root.json"] == repository.files["4.root.json"])
    _ = try await client.refresh(repository)
    #expect(repository.requests.first == "5.root.json")
  }

  @Test func `a newer shipped root is preferred to an older stored one`() async throws {
    try replaceAll()
    let updated = MetadataClient(root: try #require(repository.files["2.root.json"]))
    updated.files["root.json"] = repository.files["1.root.json"]
    _ = try await updated.refresh(repository)
    #expect(repository.requests.first == "3.root.json")
  }

  @Test func `a root needs the signatures of its own keys and of enough old ones`() async throws {
    let thief = SignedRepository.keys()
    let root = Root(
      header: RoleHeader(version: 2, expires: repository.now.adding(days: 9)),
      roles: repository.rootVerifiers(thief))
    try repository.forge(root, "2.root.json", repository.keys[.root])
    await refused(.badSignature(role: "root", found: 0, needed: 2))
    try repository.forge(root, "2.root.json", thief[.root] + [repository.keys[.root][0]])
    await refused(.badSignature(role: "root", found: 1, needed: 2))
  }

  @Test(arguments: [1, 3]) func `a root that is not the next version is rejected`(version: Int) async throws {
    let root = Root(
      header: RoleHeader(version: version, expires: repository.now.adding(days: 9)),
      roles: repository.rootVerifiers(repository.keys))
    try repository.forge(root, "2.root.json", repository.keys[.root])
    await refused(.wrongVersion(role: "root", expected: 2, offered: version))
  }

  @Test func `an expired root is accepted within the chain and rejected at its end`() async throws {
    let past = repository.now.adding(seconds: -1)
    let root = Root(
      header: RoleHeader(version: 2, expires: past), roles: repository.rootVerifiers(repository.keys))
    try repository.forge(root, "2.root.json", repository.keys[.root])
    await refused(.expired(role: "root", at: past))
    let renewed = Root(
      header: RoleHeader(version: 3, expires: repository.now.adding(days: 9)),
      roles: repository.rootVerifiers(repository.keys))
    try repository.forge(renewed, "3.root.json", repository.keys[.root])
    _ = try await client.refresh(repository)
    #expect(client.files["root.json"] == repository.files["3.root.json"])
  }

  /// An attacker with the online keys raised every version. A rotation makes lower versions valid again.
  @Test func `a repository recovers from versions raised by an attacker`() async throws {
    try repository.forgeSnapshot(version: 1_000_000, ["targets.json": 1, "transit-2.json": 1])
    try repository.forgeTimestamp(version: 1_000_000, snapshot: 1_000_000)
    _ = try await client.refresh(repository)
    try repository.renew()
    await refused(
      .rollback(role: "timestamp", trusted: 1_000_000, offered: repository.published.timestamp.version))
    try replaceAll()
    #expect(try await client.refresh(repository).state.head.number == 2)
  }

  private func refused(_ error: TrustError) async {
    await #expect(throws: error) { try await client.refresh(repository) }
  }
}
