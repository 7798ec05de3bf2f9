import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct AttackTests {
  let repository: SignedRepository
  let client: MetadataClient

  init() async throws {
    repository = try SignedRepository()
    client = MetadataClient(root: repository.root)
    try repository.publish()
    _ = try await client.refresh(repository)
  }

  private func refused(_ error: TrustError, by other: MetadataClient? = nil) async {
    let client = other ?? client
    let before = client.files["transit-2.json"]
    await #expect(throws: error) { try await client.refresh(repository) }
    #expect(client.files["transit-2.json"] == before)
  }

  private var fresh: MetadataClient { MetadataClient(root: repository.root) }

  // MARK: Rollback and freeze

  @Test func `an older timestamp is a rollback`() async throws {
    let old = repository.files["timestamp.json"]
    try repository.publish()
    _ = try await client.refresh(repository)
    repository.files["timestamp.json"] = old
    await refused(.rollback(role: "timestamp", trusted: 4, offered: 3))
  }

  @Test func `a newer timestamp with an older TUF snapshot role is a rollback`() async throws {
    try repository.forgeTimestamp(version: 9, snapshot: 1)
    await refused(.rollback(role: "snapshot", trusted: 3, offered: 1))
  }

  @Test func `an expired stored timestamp still prevents rollback`() async throws {
    let later = repository.now.adding(days: 8)
    try repository.forgeTimestamp(version: 2, snapshot: 3, expires: later.adding(days: 1))
    await #expect(throws: TrustError.rollback(role: "timestamp", trusted: 3, offered: 2)) {
      try await client.refresh(repository, at: later)
    }
  }

  @Test func `a frozen repository is detected when its timestamp expires`() async throws {
    let expiry = repository.published.timestamp.expires
    _ = try await client.refresh(repository, at: expiry.adding(seconds: -1))
    await #expect(throws: TrustError.expired(role: "timestamp", at: expiry)) {
      try await client.refresh(repository, at: expiry)
    }
    let newcomer = fresh
    await #expect(throws: TrustError.expired(role: "timestamp", at: expiry)) {
      try await newcomer.refresh(repository, at: expiry)
    }
    #expect(newcomer.files.isEmpty)
  }

  @Test func `an expired TUF snapshot role or series is rejected`() async throws {
    try repository.forgeSnapshot(
      version: 9, ["targets.json": 1, "transit-2.json": 2], expires: repository.now)
    await refused(.expired(role: "snapshot", at: repository.now))
    let newcomer = fresh
    await refused(.expired(role: "snapshot", at: repository.now), by: newcomer)
    #expect(newcomer.persisted == ["timestamp.json"])
    let role = try repository.metadata(SignedRepository.transit, head: 2).role(
      version: 2, expires: repository.now)
    try repository.forge(role, "2.transit-2.json", repository.keys[.series])
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 2])
    await refused(.expired(role: "transit-2", at: repository.now), by: fresh)
  }

  @Test func `expired targets are rejected even with valid online roles`() async throws {
    let expiry = repository.published.targets.expires
    repository.now = expiry
    try repository.publish()
    await refused(.expired(role: "targets", at: expiry))
  }

  // MARK: Mix and match

  @Test func `a series of another version than listed is rejected`() async throws {
    try repository.publish()
    repository.files["3.transit-2.json"] = repository.files["1.transit-2.json"]
    await refused(.lengthMismatch(role: "transit-2", signed: 1660, found: 1414))
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 3])
    await refused(.wrongVersion(role: "transit-2", expected: 3, offered: 1))
  }

  @Test func `a TUF snapshot role of another version than listed is rejected`() async throws {
    try repository.publish()
    repository.files["4.snapshot.json"] = repository.files["2.snapshot.json"]
    await refused(.hashMismatch(role: "snapshot", algorithm: "sha256"))
    try repository.forgeTimestamp(version: repository.published.timestamp.version + 1, snapshot: 4)
    await refused(.wrongVersion(role: "snapshot", expected: 4, offered: 2))
  }

  @Test func `a TUF snapshot role that lowers a version or drops a series is rejected`() async throws {
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 1])
    await refused(.rollback(role: "transit-2", trusted: 2, offered: 1))
    try repository.forgeSnapshot(version: 9, ["targets.json": 1])
    await refused(.missingRole(role: "transit-2", place: "snapshot"))
  }

  @Test func `a TUF snapshot role that drops an unrelated series is rejected`() async throws {
    try repository.forgeSnapshot(version: 8, ["targets.json": 1, "transit-2.json": 2, "water-1.json": 1])
    _ = try await client.refresh(repository)
    try repository.renew()
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 2])
    await refused(.missingRole(role: "water-1", place: "snapshot"))
  }

  @Test func `an expired stored TUF snapshot role still prevents rollback`() async throws {
    repository.now = repository.now.adding(days: 30)
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 1])
    await refused(.rollback(role: "transit-2", trusted: 2, offered: 1))
  }

  @Test func `one role's file in the place of another's is rejected`() async throws {
    repository.files["timestamp.json"] = repository.files["3.snapshot.json"]
    let reason = MalformedJSON.field(path: "signed._type", reason: "expected timestamp, found snapshot")
    await refused(.malformed(role: "timestamp", reason))
  }

  // MARK: Signatures

  @Test func `a flipped byte in any file is rejected`() async throws {
    for name in ["timestamp.json", "3.snapshot.json", "1.targets.json", "2.transit-2.json"] {
      let good = try #require(repository.files[name])
      for index in stride(from: 0, to: good.count, by: 23) {
        var bad = good
        bad[index] ^= 1
        repository.files[name] = bad
        await #expect(throws: TrustError.self, "\(name) at \(index)") { try await fresh.refresh(repository) }
      }
      repository.files[name] = good
    }
    _ = try await fresh.refresh(repository)
  }

  @Test func `one role's key cannot sign for another`() async throws {
    let role = repository.published.timestamp
    for other in [KeyRole.snapshot, .series, .targets] {
      try repository.forge(role, "timestamp.json", repository.keys[other])
      await refused(.badSignature(role: "timestamp", found: 0, needed: 1), by: fresh)
    }
    let series = try repository.metadata(SignedRepository.transit, head: 2).role(
      version: 2, expires: .init(secondsSinceEpoch: .max))
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 2])
    try repository.forge(series, "2.transit-2.json", repository.keys[.targets])
    await refused(.badSignature(role: "transit-2", found: 0, needed: 1), by: fresh)
  }

  @Test func `one of two required signatures is not enough, nor twice the same`() async throws {
    let key = repository.keys[.targets][0]
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 2])
    try repository.forge(repository.published.targets, "1.targets.json", [key])
    await refused(.badSignature(role: "targets", found: 1, needed: 2), by: fresh)
    let file = String(decoding: repository.files["1.targets.json"] ?? [], as: UTF8.self)
    let signature = file.prefix { $0 != "]" }.drop { $0 != "{" }.dropFirst().drop { $0 != "{" }
    repository.files["1.targets.json"] = Array(
      file.replacing(signature, with: "\(signature),\(signature)", maxReplacements: 1).utf8)
    let reason = MalformedJSON.field(
      path: "signatures[1].keyid", reason: "occurs twice: \(key.publicKey.keyID)")
    await refused(.malformed(role: "targets", reason), by: fresh)
  }

  @Test func `one key under two ids counts once`() throws {
    let key = SigningKey.generate()
    var tree = Root(
      header: RoleHeader(version: 1, expires: .init(secondsSinceEpoch: .max)),
      roles: [
        .root: RoleVerifiers([key.publicKey], threshold: 2), .targets: RoleVerifiers([key.publicKey]),
        .snapshot: RoleVerifiers([key.publicKey]), .timestamp: RoleVerifiers([key.publicKey]),
      ]
    ).json.text
    let id = key.publicKey.keyID
    let entry = #"{"keytype":"ed25519","scheme":"ed25519","keyval":{"public":"\#(key.publicKey.hex)"}}"#
    tree = tree.replacing(#""keys":{"#, with: #""keys":{"alias":\#(entry),"#)
    tree = tree.replacing(
      #""keyids":["\#(id)"],"threshold":2"#, with: #""keyids":["\#(id)","alias"],"threshold":2"#)
    let signed = try CanonicalJSON.bytes(of: JSONValue(parsing: Array(tree.utf8)))
    let signature = lowerHex(key.sign(signed))
    let signatures = #"[{"keyid":"\#(id)","sig":"\#(signature)"},{"keyid":"alias","sig":"\#(signature)"}]"#
    let file = Array(#"{"signatures":\#(signatures),"signed":\#(tree)}"#.utf8)
    #expect(throws: TrustError.badSignature(role: "root", found: 1, needed: 2)) {
      try TrustedMetadataSet(root: file, now: .distantPast)
    }
  }

  // MARK: Delegation, sizes, digests

  @Test func `a series that lists another series' files is rejected`() async throws {
    let other = try SeedSeries("secret", major: 2)
    let series = try repository.metadata(SignedRepository.transit, head: 2)
    let foreign = try repository.metadata(other, head: 2)
    let mixed = SeriesMetadata(
      series: series.series, state: series.state, objects: series.objects + [foreign.objects[0]])
    let role = mixed.role(version: 3, expires: repository.now.adding(days: 7))
    try repository.forge(role, "3.transit-2.json", repository.keys[.series])
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 3])
    await #expect(throws: TrustError.pathNotDelegated(role: "transit-2", path: foreign.objects[0].targetPath))
    {
      try await client.refresh(repository)
    }
  }

  @Test func `a series without a delegation is rejected`() async throws {
    let other = try SeedSeries("water", major: 1)
    let role = try repository.metadata(other, head: 2).role(
      version: 1, expires: repository.now.adding(days: 7))
    try repository.forge(role, "1.water-1.json", repository.keys[.series])
    try repository.forgeSnapshot(version: 9, ["targets.json": 1, "transit-2.json": 2, "water-1.json": 1])
    await #expect(throws: TrustError.missingRole(role: "water-1", place: "targets")) {
      try await client.refresh(repository, other)
    }
  }

  @Test func `endless data is cut off at the limit`() async throws {
    repository.files["timestamp.json"] = [UInt8](repeating: 0x20, count: Limits.metadataBytes + 1)
    await refused(.tooLong(role: "timestamp", limit: Limits.metadataBytes))
    repository.files["2.root.json"] = [UInt8](repeating: 0x20, count: Limits.rootBytes + 1)
    await refused(.tooLong(role: "root", limit: Limits.rootBytes))
  }

  @Test func `length and digests in the timestamp must match`() async throws {
    let snapshot = try #require(repository.files["3.snapshot.json"])
    func announce(length: Int, hashes: String) throws {
      try repository.forgeTimestamp(version: 9, snapshot: 3, length: length, hashes: hashes)
    }
    let digest = SHA256Digest.of(snapshot).hex
    try announce(length: snapshot.count, hashes: #""sha256":"\#(digest)""#)
    _ = try await fresh.refresh(repository)
    try announce(length: snapshot.count + 1, hashes: #""sha256":"\#(digest)""#)
    await refused(
      .lengthMismatch(role: "snapshot", signed: snapshot.count + 1, found: snapshot.count), by: fresh)
    try announce(length: snapshot.count - 1, hashes: #""sha256":"\#(digest)""#)
    await refused(.tooLong(role: "snapshot", limit: snapshot.count - 1), by: fresh)
    try announce(length: snapshot.count, hashes: #""sha256":"\#(SHA256Digest.of([]).hex)""#)
    await refused(.hashMismatch(role: "snapshot", algorithm: "sha256"), by: fresh)
    try announce(length: snapshot.count, hashes: #""sha256":"\#(digest)","md4":"00""#)
    await refused(.hashMismatch(role: "snapshot", algorithm: "md4"), by: fresh)
    try announce(length: snapshot.count, hashes: #""sha512":"00""#)
    await refused(.hashMismatch(role: "snapshot", algorithm: "sha512"), by: fresh)
  }
}

@Suite struct OrderTests {
  @Test func `a role offered out of order is rejected as the caller's mistake`() throws {
    let repository = try SignedRepository()
    func file(_ name: String) throws -> [UInt8] { try #require(repository.files[name]) }
    var trusted = try TrustedMetadataSet(root: repository.root, now: repository.now)
    let error = TrustError.outOfOrder(role: "snapshot")
    #expect(throws: error) { try trusted.updateSnapshot(file("2.snapshot.json")) }
    #expect(throws: TrustError.outOfOrder(role: "targets")) {
      try trusted.updateTargets(file("1.targets.json"))
    }
    _ = try trusted.updateTimestamp(file("timestamp.json"))
    #expect(throws: TrustError.outOfOrder(role: "root")) { try trusted.updateRoot(repository.root) }
    #expect(throws: TrustError.outOfOrder(role: "targets")) {
      try trusted.updateTargets(file("1.targets.json"))
    }
    try trusted.updateSnapshot(file("2.snapshot.json"))
    #expect(throws: TrustError.outOfOrder(role: "timestamp")) {
      try trusted.updateTimestamp(file("timestamp.json"))
    }
    #expect(throws: TrustError.outOfOrder(role: "transit-2")) {
      try trusted.updateTargets(file("1.transit-2.json"), role: "transit-2", delegator: Targets.type)
    }
    try trusted.updateTargets(file("1.targets.json"))
    #expect(throws: TrustError.outOfOrder(role: "snapshot")) {
      try trusted.updateSnapshot(file("2.snapshot.json"))
    }
    #expect(throws: TrustError.outOfOrder(role: "transit-2")) { try trusted.series(SignedRepository.transit) }
    try trusted.updateTargets(file("1.transit-2.json"), role: "transit-2", delegator: Targets.type)
    _ = try trusted.series(SignedRepository.transit)
  }
}

@Suite struct StoredMetadataTests {
  let repository: SignedRepository
  private let later: UTCTime

  init() throws {
    repository = try SignedRepository()
    later = repository.published.timestamp.expires
  }

  private func file(_ name: String) throws -> [UInt8] { try #require(repository.files[name]) }

  @Test func `a stored timestamp that expired is not accepted when offered again`() throws {
    var trusted = try TrustedMetadataSet(root: repository.root, now: later)
    try trusted.loadStoredTimestamp(file("timestamp.json"))
    #expect(throws: TrustError.expired(role: "timestamp", at: later)) {
      try trusted.updateTimestamp(file("timestamp.json"))
    }
    #expect(throws: TrustError.expired(role: "timestamp", at: later)) {
      try trusted.loadStoredSnapshot(file("2.snapshot.json"))
    }
  }

  @Test func `nothing is accepted under an expired root`() throws {
    let expiry = repository.published.root.expires
    var trusted = try TrustedMetadataSet(root: repository.root, now: expiry)
    #expect(throws: TrustError.expired(role: "root", at: expiry)) {
      try trusted.updateTimestamp(file("timestamp.json"))
    }
  }

  @Test func `an expired stored TUF snapshot role is not used`() throws {
    try repository.forgeTimestamp(version: 9, snapshot: 2, expires: later.adding(days: 1))
    var trusted = try TrustedMetadataSet(root: repository.root, now: later)
    _ = try trusted.updateTimestamp(file("timestamp.json"))
    #expect(try !trusted.loadStoredSnapshot(file("2.snapshot.json")))
    #expect(throws: TrustError.expired(role: "snapshot", at: later)) {
      try trusted.updateTargets(file("1.targets.json"))
    }
  }

  @Test func `a stored TUF snapshot role of an outdated version is not used`() throws {
    var trusted = try TrustedMetadataSet(root: repository.root, now: repository.now)
    _ = try trusted.updateTimestamp(file("timestamp.json"))
    #expect(try !trusted.loadStoredSnapshot(file("1.snapshot.json")))
    #expect(throws: TrustError.wrongVersion(role: "snapshot", expected: 2, offered: 1)) {
      try trusted.updateTargets(file("1.targets.json"))
    }
  }

  @Test func `a repository that extends a version instead of raising it can be followed`() async throws {
    let client = MetadataClient(root: repository.root)
    _ = try await client.refresh(repository)
    repository.now = later
    try repository.forgeSnapshot(version: 2, ["targets.json": 1, "transit-2.json": 1])
    let metadata = try repository.metadata(SignedRepository.transit, head: 1)
    try repository.forge(
      metadata.role(version: 1, expires: later.adding(days: 1)), "1.transit-2.json",
      repository.keys[.series])
    #expect(try await client.refresh(repository) == metadata)
    #expect(client.persisted == ["timestamp.json", "snapshot.json", "transit-2.json"])
  }

  @Test func `a length in the TUF snapshot role must match`() async throws {
    let length = try file("1.targets.json").count
    let text = try JSONValue(parsing: file("2.snapshot.json")).text
    for (given, error) in [
      (length + 1, TrustError.lengthMismatch(role: "targets", signed: length + 1, found: length)),
      (length - 1, TrustError.tooLong(role: "targets", limit: length - 1)), (length, nil),
    ] {
      let entry = #""targets.json":{"version":1,"length":\#(given)}"#
      let changed = text.replacing(/"targets\.json":{[^}]*}}/, with: entry)
      let role = try Metadata<SnapshotRole>(parsing: Array(changed.utf8)).signed
      try repository.forge(role, "2.snapshot.json", repository.keys[.snapshot])
      try repository.forgeTimestamp(version: 9, snapshot: 2)
      let client = MetadataClient(root: repository.root)
      if let error {
        await #expect(throws: error) { try await client.refresh(repository) }
      } else {
        _ = try await client.refresh(repository)
      }
    }
  }
}
