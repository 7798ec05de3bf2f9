import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust

/// Signs the fuzzer's bytes with stolen keys and offers them to a client as each role.
struct Thief {
  private static let series = SeedSeries("transit", model: "2.1")

  private let key = SigningKey.generate()
  private let trusted: TrustedMetadataSet

  init() {
    let verifiers = RoleVerifiers([key.publicKey])
    let roles = Dictionary(
      uniqueKeysWithValues: KeyRole.allCases.filter(\.isInRoot).map { ($0, verifiers) })
    do {
      let root = try Metadata(signing: Root(header: Self.header(1), roles: roles), with: [key])
      trusted = try TrustedMetadataSet(root: root.bytes, now: UTCTime("2026-08-01T12:00:00Z")!)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func header(_ version: Int) -> RoleHeader {
    RoleHeader(version: version, expires: UTCTime(secondsSinceEpoch: .max))
  }

  func sign(_ bytes: [UInt8]) {
    guard let document = try? JSONValue(parsing: bytes), let signed = document["signed"],
      let canonical = try? CanonicalJSON.bytes(of: signed)
    else { return }
    let signature: JSONValue = [
      "keyid": .string(key.publicKey.keyID), "sig": .string(lowerHex(key.sign(canonical))),
    ]
    offer(
      (["signatures": [signature], "signed": signed] as JSONValue).bytes, signed["version"]?.integer ?? 1)
  }

  private func offer(_ bytes: [UInt8], _ version: Int) {
    var client = trusted
    if (try? client.updateRoot(bytes)) != nil { precondition(client.root.version == 2) }
    client = trusted
    if let offer = try? client.updateTimestamp(bytes) { precondition(offer == .newer) }
    guard version > 0, version <= Limits.exactJSONInteger else { return }
    client = trusted
    try? offerSnapshot(bytes, version, to: &client)
    client = trusted
    try? offerTargets(bytes, version, to: &client)
    client = trusted
    try? offerSeries(bytes, version, to: &client)
  }

  private func offerSnapshot(_ bytes: [UInt8], _ version: Int, to client: inout TrustedMetadataSet) throws {
    let timestamp = Timestamp(header: Self.header(1), snapshot: MetaFile(version: version))
    _ = try client.updateTimestamp(Metadata(signing: timestamp, with: [key]).bytes)
    try client.updateSnapshot(bytes)
  }

  private func announce(_ meta: [String: Int], to client: inout TrustedMetadataSet) throws {
    let snapshot = SnapshotRole(header: Self.header(1), meta: meta.mapValues { MetaFile(version: $0) })
    try offerSnapshot(Metadata(signing: snapshot, with: [key]).bytes, 1, to: &client)
  }

  private func offerTargets(_ bytes: [UInt8], _ version: Int, to client: inout TrustedMetadataSet) throws {
    try announce(["targets.json": version], to: &client)
    try client.updateTargets(bytes)
    guard let targets = client.targets[Targets.type] else { preconditionFailure("accepted and not there") }
    for path in targets.targets.keys {
      for role in targets.delegations?.roles ?? [] { _ = role.paths.admit(path) }
    }
  }

  private func offerSeries(_ bytes: [UInt8], _ version: Int, to client: inout TrustedMetadataSet) throws {
    let name = Self.series.roleName
    try announce(["targets.json": 1, "\(name).json": version], to: &client)
    let role = Delegations.Role(
      name: name, keys: RoleKeys(RoleVerifiers([key.publicKey])), terminating: true,
      paths: .patterns(["\(Self.series)/*"]))
    let delegations = Delegations(keys: [key.publicKey.keyID: RoleKey(key.publicKey)], roles: [role])
    let targets = Targets(header: Self.header(1), targets: [:], delegations: delegations)
    try client.updateTargets(Metadata(signing: targets, with: [key]).bytes)
    try client.updateTargets(bytes, role: name, delegator: Targets.type)
    _ = try client.series(Self.series)
  }
}
