import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A look that does not ask for the next root where nothing changed, and what that may not cost.
@Suite struct RootCheckTests {
  let repository: Repository
  let client: Client

  init() async throws {
    repository = try Repository()
    client = Client(root: repository.root)
    _ = try await client.refresh(repository)
  }

  private func look() async throws -> SeriesMetadata {
    try await client.refresh(repository, asksForRoot: false)
  }

  @Test func `where nothing changed it is one request, and says the same`() async throws {
    let asked = try await client.refresh(repository)
    #expect(try await look() == asked)
    #expect(repository.requests == ["timestamp.json"])
    #expect(client.persisted == [])
  }

  @Test func `whatever is new is believed only after the next root was asked for, with no request more`()
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

  @Test func `a first look asks for all that there is`() async throws {
    let newcomer = Client(root: repository.root)
    let found = try await newcomer.refresh(repository, asksForRoot: false)
    #expect(try await found == look())
    #expect(newcomer.files["timestamp.json"] == repository.files["timestamp.json"])
  }

  @Test func `replaced keys are followed, and the timestamp that was signed before them is asked for anew`()
    async throws
  {
    try repository.rotate(Set(KeyRole.allCases))
    try repository.publish()
    #expect(try await look().state.head.number == 2)
    #expect(
      repository.requests.prefix(4) == ["timestamp.json", "2.root.json", "3.root.json", "timestamp.json"])
  }

  @Test func `a thief of a key that was revoked is not believed`() async throws {
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

  @Test func `what has expired is asked for, and refused like at any other look`() async throws {
    let later = repository.now.adding(days: 30)
    await #expect(throws: TrustError.self) {
      try await client.refresh(repository, at: later, asksForRoot: false)
    }
    #expect(repository.requests == ["timestamp.json", "2.root.json"])
  }

  @Test func `another timestamp of the same version is refused`() async throws {
    try repository.forgeTimestamp(
      version: repository.published.timestamp.version, snapshot: repository.published.snapshot.version,
      expires: repository.now.adding(days: 3))
    await #expect(
      throws: TrustError.conflict(role: "timestamp", version: repository.published.timestamp.version)
    ) {
      try await look()
    }
  }

  @Test func `a copy that was damaged is fetched again`() async throws {
    for name in ["snapshot.json", "transit-2.json", "timestamp.json"] {
      client.files[name] = Array("{".utf8)
      #expect(try await look().state.head.number == 1)
    }
  }
}
