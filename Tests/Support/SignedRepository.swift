package import SeedFormat
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// A publication in memory with its publisher, and with forgeries.
///
/// Used by one test, which awaits each call, so it is never accessed concurrently.
package final class SignedRepository: @unchecked Sendable {
  package static let transit = SeedSeries("transit", model: "2.1")

  package var now: UTCTime
  package var keys: KeyRing
  package var published: PublishedMetadata
  package var files: [String: [UInt8]] = [:]
  package var requests: [String] = []
  /// Files of the last step in the order in which they were written.
  package private(set) var written: [MetadataFile] = []
  package var everyKey: KeyRing
  package private(set) var head = 0

  private let rootThreshold: Int

  package init(delegating series: [SeedSeries] = [transit], rootThreshold: Int = 2) throws {
    self.rootThreshold = rootThreshold
    now = UTCTime("2026-08-01T12:00:00Z")!
    keys = Self.keys()
    everyKey = keys
    let step = try RepositorySigner(now: now).create(
      delegating: series, keys: keys, thresholds: [.root: rootThreshold, .targets: 2])
    published = step.published
    write(step)
    if series.contains(Self.transit) { try publish() }
  }

  /// Three root keys, two targets keys, and one key per other role.
  package static func keys() -> KeyRing {
    KeyRing([
      .root: (0..<3).map { _ in .generate() }, .targets: [.generate(), .generate()],
      .series: [.generate()], .snapshot: [.generate()], .timestamp: [.generate()],
    ])
  }

  package var signer: RepositorySigner { RepositorySigner(now: now) }
  package var root: [UInt8] { files["1.root.json"] ?? [] }

  package func write(_ step: SigningStep) {
    written = step.files
    for file in step.files { files[file.name] = file.bytes }
    published = step.published
  }

  package func publish(_ series: SeedSeries = transit) throws {
    head += 1
    write(try signer.publish([try metadata(series, head: head)], after: published, keys: keys))
  }

  package func renew() throws { write(try signer.publish([], after: published, keys: keys)) }

  /// Delegates to exactly these series.
  package func delegate(_ series: [SeedSeries]) throws {
    try adopt(
      OfflineChange(
        targets: signer.targets(
          delegating: series, to: keys.verifiers(.series), after: published)))
  }

  package func renewTargets() throws {
    try adopt(OfflineChange(targets: signer.renewedTargets(after: published)))
  }

  private func adopt(_ change: OfflineChange) throws {
    var change = change
    change.sign(with: keys, after: published)
    write(try signer.publish([], adopting: change, after: published, keys: keys))
  }

  /// Replaces the keys of these roles and signs everything that depends on them.
  package func rotate(_ roles: Set<KeyRole>, to new: KeyRing = keys()) throws {
    var next = keys
    for role in roles { next[role] = new[role] }
    var change = try change(roles, to: next)
    everyKey = everyKey.adding(next)
    change.sign(with: everyKey, after: published)
    write(try signer.publish([], adopting: change, after: published, keys: everyKey))
    keys = next
  }

  package func rootVerifiers(_ keys: KeyRing) -> [KeyRole: RoleVerifiers] {
    let thresholds = [KeyRole.root: rootThreshold, .targets: 2]
    let roles = KeyRole.allCases.filter(\.isInRoot)
    return Dictionary(
      uniqueKeysWithValues: roles.map { ($0, keys.verifiers($0, threshold: thresholds[$0] ?? 1)) })
  }

  private func change(_ roles: Set<KeyRole>, to next: KeyRing) throws -> OfflineChange {
    let inRoot = rootVerifiers(next).filter { roles.contains($0.key) }
    let root = inRoot.isEmpty ? nil : signer.root(replacing: inRoot, after: published)
    let series = next.verifiers(.series)
    let targets =
      try roles.contains(.series)
      ? signer.targets(delegating: published.delegatedSeries, to: series, under: root, after: published)
      : roles.contains(.targets) ? signer.renewedTargets(under: root, after: published) : nil
    return try OfflineChange(root: root, targets: targets)
  }

  package func metadata(_ series: SeedSeries, head: Int) throws -> SeriesMetadata {
    let model = try ModelVersion(major: series.major, minor: 1)
    let older = try ModelVersion(major: series.major, minor: 0)
    let state = SeriesState(
      epoch: try Epoch("0123456789abcdef"), head: try SeedVersion(head), floor: .first, model: model,
      models: [model: .of([1]), older: .of([0])],
      lifecycle: .deprecated(sunset: "2027-01-01", message: "Move to 3 \"soon\" – é\n"), publishedAt: now,
      pollSeconds: 3600, license: "CC0-1.0", attribution: "Stadtwerke", source: nil)
    var kinds: [PublishedObject.Kind] = [
      .snapshot(try SeedVersion(head), .gzip), .snapshot(try SeedVersion(head), .xz),
    ]
    if head > 1 { kinds.append(.delta(from: try SeedVersion(head - 1), to: try SeedVersion(head))) }
    return SeriesMetadata(series: series, state: state, objects: kinds.map { object($0, series, model) })
  }

  package func object(_ kind: PublishedObject.Kind, _ series: SeedSeries, _ model: ModelVersion)
    -> PublishedObject
  {
    let bytes = Array("the bytes of \(kind)".utf8)
    let rawSHA256: SHA256Digest? = if case .snapshot = kind { .of([9]) } else { nil }
    return PublishedObject(
      series: series, kind: kind, length: bytes.count, sha256: .of(bytes), model: model, rawLength: 9,
      rawSHA256: rawSHA256, schema: .of([1]), digest: .of([2]))
  }

  // MARK: Attacks

  /// Adds metadata that only these keys sign.
  package func forge<Role: SignedRole>(_ role: Role, _ name: String, _ signers: [SigningKey]) throws {
    files[name] = try Metadata(signing: role, with: signers).bytes
  }

  /// A modified copy of the current timestamp, signed with the stolen real key.
  package func forgeTimestamp(version: Int, snapshot: Int, expires: UTCTime? = nil) throws {
    let header = RoleHeader(version: version, expires: expires ?? now.adding(days: 7))
    try forge(
      Timestamp(header: header, snapshot: MetaFile(version: snapshot)), "timestamp.json",
      keys[.timestamp])
  }

  /// The same with a length and digests, which are inserted verbatim into the JSON.
  package func forgeTimestamp(version: Int, snapshot: Int, length: Int, hashes: String) throws {
    let header =
      #""_type":"timestamp","spec_version":"1.0.31","version":\#(version),"expires":"2026-08-09T00:00:00Z""#
    let meta = #"{"snapshot.json":{"version":\#(snapshot),"length":\#(length),"hashes":{\#(hashes)}}}"#
    let tree = try JSONValue(parsing: Array("{\(header),\"meta\":\(meta)}".utf8))
    let key = keys[.timestamp][0]
    let signature = lowerHex(key.sign(try CanonicalJSON.bytes(of: tree)))
    let signatures: JSONValue = [["keyid": .string(key.publicKey.keyID), "sig": .string(signature)]]
    files["timestamp.json"] = (["signatures": signatures, "signed": tree] as JSONValue).bytes
  }

  /// A TUF snapshot role with its timestamp, signed with the real keys.
  package func forgeSnapshot(version: Int, _ meta: [String: Int], expires: UTCTime? = nil) throws {
    let header = RoleHeader(version: version, expires: expires ?? now.adding(days: 7))
    try forge(
      SnapshotRole(header: header, meta: meta.mapValues { MetaFile(version: $0) }),
      "\(version).snapshot.json",
      keys[.snapshot])
    try forgeTimestamp(version: published.timestamp.version + 1, snapshot: version)
  }

  package var fetch: MetadataFetcher {
    { name, _ in
      self.requests.append(name)
      return self.files[name]
    }
  }
}

package final class MetadataClient {
  package var files: [String: [UInt8]] = [:]
  package var persisted: [String] = []
  package let root: [UInt8]

  package init(root: [UInt8]) { self.root = root }

  package func refresh(
    _ repository: SignedRepository, _ series: SeedSeries = SignedRepository.transit, at now: UTCTime? = nil,
    asksForRoot: Bool = true
  ) async throws -> SeriesMetadata {
    repository.requests = []
    persisted = []
    return try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: stored, fetch: repository.fetch, now: now ?? repository.now,
      asksForRoot: asksForRoot)
  }

  package var stored: StoredMetadata {
    StoredMetadata(
      read: { self.files[$0] },
      persist: { name, bytes in
        self.files[name] = bytes
        self.persisted.append(name)
      })
  }
}
