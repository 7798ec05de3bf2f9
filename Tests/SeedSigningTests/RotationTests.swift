import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedSigning

/// Rotations with clients of every age, which may read between any two of the publisher's writes.
@Suite struct RotationTests {
  let repository: SignedRepository

  init() throws { repository = try SignedRepository() }

  private static let changes: [Set<KeyRole>] =
    KeyRole.allCases.map { [$0] } + [
      [.timestamp, .snapshot], [.root, .targets, .series], Set(KeyRole.allCases),
    ]

  private func files(of roles: Set<KeyRole>) throws -> [MetadataFile] {
    let before = repository.files
    try repository.rotate(roles)
    let written = repository.written
    repository.files = before
    return written
  }

  @Test(arguments: changes)
  func `old and new clients can read between any two files of a rotation`(_ roles: Set<KeyRole>) async throws
  {
    let old = MetadataClient(root: repository.root)
    _ = try await old.refresh(repository)
    for file in try files(of: roles) {
      _ = try await old.refresh(repository)
      _ = try await MetadataClient(root: repository.root).refresh(repository)
      repository.files[file.name] = file.bytes
    }
    _ = try await old.refresh(repository)
    try repository.publish()
    for client in [old, MetadataClient(root: repository.root)] {
      #expect(try await client.refresh(repository).state.head.number == 2)
    }
  }

  @Test(arguments: changes)
  func `a publisher that died between two files signs the rest`(_ roles: Set<KeyRole>) async throws {
    let files = try files(of: roles)
    let before = repository.files
    for count in 0...files.count {
      repository.files = before
      for file in files.prefix(count) { repository.files[file.name] = file.bytes }
      let published = try PublishedMetadata(root: repository.root) { [files = repository.files] in files[$0] }
      let all = published.series.values.map(\.metadata)
      let step = try repository.signer.publish(all, after: published, keys: repository.everyKey)
      for file in step.files { repository.files[file.name] = file.bytes }
      _ = try await MetadataClient(root: repository.root).refresh(repository)
    }
  }

  @Test func `after a lost key is replaced clients reject only between the root and the timestamp`()
    async throws
  {
    let client = MetadataClient(root: repository.root)
    _ = try await client.refresh(repository)
    repository.keys[.timestamp] = []
    repository.everyKey[.timestamp] = []
    let written = try files(of: [.timestamp])
    #expect(written.suffix(2).map(\.name) == ["2.root.json", "timestamp.json"])
    for file in written { repository.files[file.name] = file.bytes }
    _ = try await client.refresh(repository)
  }

  /// `isCut`: the old keys are gone, and the publisher dies before it writes the timestamp.
  @Test(arguments: [false, true])
  func `versions raised to the maximum restart after both online keys are replaced`(_ isCut: Bool)
    async throws
  {
    let last = Int(Limits.exactJSONInteger)
    let client = MetadataClient(root: repository.root)
    try repository.forgeSnapshot(version: last, ["targets.json": 1, "transit-2.json": 1])
    try repository.forgeTimestamp(version: last, snapshot: last)
    _ = try await client.refresh(repository)
    func load() throws {
      repository.published = try PublishedMetadata(root: repository.root) { [files = repository.files] in
        files[$0]
      }
    }
    try load()
    #expect(throws: VersionsExhausted(role: "snapshot")) { try repository.publish() }
    let timestamp = repository.files["timestamp.json"]
    if isCut { for role in [KeyRole.timestamp, .snapshot] { repository.everyKey[role] = [] } }
    try repository.rotate([.timestamp, .snapshot])
    if isCut {
      repository.files["timestamp.json"] = timestamp
      try load()
    }
    try repository.publish()
    #expect(try await client.refresh(repository).state.head.number == 3)
    #expect(repository.published.timestamp.version < last)
  }

  @Test func `a raised version does not restart while clients trust the timestamp that announced it`()
    async throws
  {
    let client = MetadataClient(root: repository.root)
    let raised = repository.now.adding(days: 2).secondsSinceEpoch
    try repository.forgeSnapshot(version: raised, ["targets.json": 1, "transit-2.json": 1])
    _ = try await client.refresh(repository)
    repository.published = try PublishedMetadata(root: repository.root) { [files = repository.files] in
      files[$0]
    }
    try repository.rotate([.snapshot])
    _ = try await client.refresh(repository)
    #expect(repository.published.snapshot.version == raised + 1)
  }

  @Test func `a root with lost keys is replaced by a new chain`() async throws {
    let old = MetadataClient(root: repository.root)
    _ = try await old.refresh(repository)
    var keys = repository.keys
    keys[.root] = SignedRepository.keys()[.root]
    var change = try OfflineChange(
      root: repository.signer.root(
        replacing: [.root: keys.verifiers(.root, threshold: 2)], startingChain: true,
        after: repository.published))
    change.sign(with: keys, after: repository.published)
    #expect(change.isComplete(after: repository.published))
    repository.write(
      try repository.signer.publish([], adopting: change, after: repository.published, keys: keys))
    repository.keys = keys
    try repository.publish()
    let shipped = try #require(repository.files["\(repository.published.root.version).root.json"])
    let new = MetadataClient(root: shipped)
    new.files = old.files
    for client in [old, new, MetadataClient(root: shipped)] {
      #expect(try await client.refresh(repository).state.head.number == 2)
    }
  }

  @Test func `a signature is valid only for its own key and bytes`() throws {
    let published = repository.published
    let root = repository.signer.renewedRoot(after: published)
    var change = try OfflineChange(root: root)
    let payload = try #require(change.payload(.root))
    let (key, other) = (repository.keys[.root][0], SigningKey.generate())
    func signature(_ key: SigningKey, _ bytes: [UInt8]) -> RoleSignature {
      RoleSignature(keyID: key.publicKey.keyID, hex: lowerHex(key.sign(bytes)))
    }
    #expect(throws: OfflineChange.SignatureError.keyNotAsked(keyID: other.publicKey.keyID, role: .root)) {
      try change.add(signature(other, payload), to: .root, after: published)
    }
    #expect(throws: OfflineChange.SignatureError.doesNotVerify(keyID: key.publicKey.keyID, role: .root)) {
      try change.add(signature(key, payload + [0]), to: .root, after: published)
    }
    try change.add(signature(key, payload), to: .root, after: published)
    #expect(!change.isComplete(after: published))
    try change.add(signature(repository.keys[.root][2], payload), to: .root, after: published)
    #expect(change.isComplete(after: published))
    #expect(try OfflineChange(parsing: change.bytes) == change)
  }
}
