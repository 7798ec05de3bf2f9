import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// A refresh that skips the request for the next root while nothing changed.
@Suite struct RootCheckTests {
  let repository: SignedRepository
  let client: MetadataClient

  init() async throws {
    repository = try SignedRepository()
    client = MetadataClient(root: repository.root)
    _ = try await client.refresh(repository)
  }

  private func look() async throws -> SeriesMetadata {
    try await client.refresh(repository, asksForRoot: false)
  }

  @Test func `a refresh without a root check takes one request and has the same result`() async throws {
    let asked = try await client.refresh(repository)
    #expect(try await look() == asked)
    #expect(repository.requests == ["timestamp.json"])
    #expect(client.persisted == [])
  }

  @Test func `new metadata is accepted only after a root check without extra requests`()
    async throws
  {
    try repository.publish()
    #expect(try await look().state.head.number == 2)
    #expect(
      repository.requests == ["timestamp.json", "2.root.json", "3.snapshot.json", "2.transit-2.json"])
    try repository.renew()
    _ = try await look()
    #expect(repository.requests == ["timestamp.json", "2.root.json"])
  }

  @Test func `a first refresh always checks the root`() async throws {
    let newcomer = MetadataClient(root: repository.root)
    let found = try await newcomer.refresh(repository, asksForRoot: false)
    #expect(try await found == look())
    #expect(newcomer.files["timestamp.json"] == repository.files["timestamp.json"])
  }

  @Test func `rotated keys are followed and an older timestamp is fetched again`()
    async throws
  {
    try repository.rotate(Set(KeyRole.allCases))
    try repository.publish()
    #expect(try await look().state.head.number == 2)
    #expect(
      repository.requests.prefix(4) == ["timestamp.json", "2.root.json", "3.root.json", "timestamp.json"])
  }

  @Test func `a revoked key is not trusted`() async throws {
    let stolen = repository.keys
    try repository.rotate([.timestamp])
    let version = repository.published.timestamp.version
    let forged = Timestamp(
      header: RoleHeader(version: version + 1, expires: repository.now.adding(days: 7)),
      snapshot: MetaFile(version: repository.published.snapshot.version))
    try repository.forge(forged, "timestamp.json", stolen[.timestamp])
    await #expect(throws: TrustError.badSignature(role: "timestamp", found: 0, needed: 1)) {
      try await look()
    }
    #expect(repository.requests.contains("2.root.json"))
  }

  @Test func `expired metadata causes a root check and is rejected`() async throws {
    let later = repository.now.adding(days: 30)
    await #expect(throws: TrustError.self) {
      try await client.refresh(repository, at: later, asksForRoot: false)
    }
    #expect(repository.requests == ["timestamp.json", "2.root.json"])
  }

  @Test func `a damaged stored copy is fetched again`() async throws {
    for name in ["snapshot.json", "transit-2.json", "timestamp.json"] {
      client.files[name] = Array("{".utf8)
      #expect(try await look().state.head.number == 1)
    }
  }
}
