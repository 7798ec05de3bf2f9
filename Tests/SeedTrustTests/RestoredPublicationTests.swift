import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// A publication restored from an old backup reuses versions that clients already have.
@Suite struct RestoredPublicationTests {
  let repository: SignedRepository
  let client: MetadataClient

  init() async throws {
    repository = try SignedRepository()
    client = MetadataClient(root: repository.root)
    try repository.publish()
    _ = try await client.refresh(repository)
  }

  /// Replaces the timestamp of the trusted version by another one.
  private func restore() throws {
    let trusted = repository.published.timestamp
    try repository.forgeTimestamp(
      version: trusted.version, snapshot: trusted.snapshot.version, expires: trusted.expires.adding(days: 1))
  }

  @Test
  func
    `another timestamp of the trusted version is rejected with a remedy, and the one after it is accepted`()
    async throws
  {
    try restore()
    let trusted = try #require(client.files["timestamp.json"])
    let error = TrustError.conflict(role: "timestamp", version: repository.published.timestamp.version)
    for asksForRoot in [true, false] {
      await #expect(throws: error) { try await client.refresh(repository, asksForRoot: asksForRoot) }
      #expect(client.files["timestamp.json"] == trusted)
    }
    #expect("\(error)".contains("old backup") && "\(error)".contains("'seedbank new-epoch'"))
    try repository.renew()
    _ = try await client.refresh(repository)
    #expect(client.persisted == ["timestamp.json"])
  }

  @Test func `the plain TUF workflow accepts another timestamp of the trusted version`() async throws {
    try restore()
    var refresh = try MetadataRefresh(
      shippedRoot: client.root, stored: client.stored, fetch: repository.fetch, now: repository.now)
    try await refresh.topLevel()
    #expect(refresh.trusted.timestamp == repository.published.timestamp)
  }

  @Test func `a timestamp with more signatures or another layout counts as the same`()
    async throws
  {
    var document = try JSONValue(parsing: try #require(repository.files["timestamp.json"]))
    guard let signed = document["signed"], case .array(let signatures)? = document["signatures"] else {
      Issue.record("not a metadata file")
      return
    }
    let foreign: JSONValue = ["keyid": .string(String(repeating: "0", count: 64)), "sig": "00"]
    document = ["signed": signed, "signatures": .array([foreign] + signatures)]
    repository.files["timestamp.json"] = Array(" ".utf8) + document.bytes
    _ = try await client.refresh(repository)
    #expect(client.persisted.isEmpty)
  }

  @Test func `another TUF snapshot role of the trusted version is fetched if its digest is announced`()
    async throws
  {
    let trusted = repository.published.snapshot
    let later = RoleHeader(version: trusted.version, expires: trusted.expires.adding(days: 1))
    let name = "\(trusted.version).snapshot.json"
    try repository.forge(
      SnapshotRole(header: later, meta: trusted.meta), name, repository.keys[.snapshot])
    let bytes = try #require(repository.files[name])
    try repository.forgeTimestamp(
      version: 99, snapshot: trusted.version, length: bytes.count,
      hashes: #""sha256":"\#(SHA256Digest.of(bytes).hex)""#)
    _ = try await client.refresh(repository)
    #expect(client.files["snapshot.json"] == bytes)
  }
}
