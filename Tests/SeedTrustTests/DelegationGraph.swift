import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support

/// A repository in memory whose targets roles delegate to each other, and a client with its stored metadata.
///
/// Used by one test, which awaits each call, so it is never accessed concurrently.
final class DelegationGraph: @unchecked Sendable {
  /// A delegation. Roles are signed with the repository's key unless the delegation has its own.
  struct Edge {
    var from = "targets"
    let to: String
    var paths = DelegatedPaths.patterns(["*"])
    var terminating = false
    var key: SigningKey?
  }

  private static let content = Array("content".utf8)
  private static let now = UTCTime.now()

  private let key = SigningKey.generate()
  private(set) var served: [String: [UInt8]] = [:]
  private(set) var stored: [String: [UInt8]] = [:]
  private var requests: [String] = []
  private var client: MetadataRefresh?

  private var header: RoleHeader { RoleHeader(version: 1, expires: Self.now.adding(days: 1)) }

  /// - Parameters:
  ///   - edges: In the order in which their delegators list them.
  ///   - files: The paths listed by each role.
  init(_ edges: [Edge], files: [String: [String]] = [:]) throws {
    let all = RoleVerifiers([key.publicKey])
    let roles = Dictionary(uniqueKeysWithValues: KeyRole.allCases.filter(\.isInRoot).map { ($0, all) })
    served["1.root.json"] = try Metadata(signing: Root(header: header, roles: roles), with: [key]).bytes
    let names = Set(edges.map(\.to) + ["targets"])
    for name in names { try serve(name, edges, files[name] ?? []) }
    let meta = names.map { ("\($0).json", MetaFile(version: 1)) }
    let snapshot = SnapshotRole(header: header, meta: Dictionary(uniqueKeysWithValues: meta))
    served["1.snapshot.json"] = try Metadata(signing: snapshot, with: [key]).bytes
    let timestamp = Timestamp(header: header, snapshot: MetaFile(version: 1))
    served["timestamp.json"] = try Metadata(signing: timestamp, with: [key]).bytes
  }

  private func serve(_ name: String, _ edges: [Edge], _ paths: [String]) throws {
    let keys = edges.filter { $0.from == name }.map { ($0, RoleVerifiers([($0.key ?? key).publicKey])) }
    let roles = keys.map { edge, verifiers in
      Delegations.Role(
        name: edge.to, keys: RoleKeys(verifiers), terminating: edge.terminating, paths: edge.paths)
    }
    let listed = keys.flatMap(\.1.keys).map { ($0.keyID, RoleKey($0)) }
    let file = TargetFile(length: Self.content.count, sha256: .of(Self.content))
    let targets = Targets(
      header: header, targets: Dictionary(uniqueKeysWithValues: paths.map { ($0, file) }),
      delegations: Delegations(keys: Dictionary(listed) { first, _ in first }, roles: roles))
    // Signed only by the first delegation's key.
    let signer = edges.first { $0.to == name }?.key ?? key
    served[MetadataName.versioned(name, 1)] = try Metadata(signing: targets, with: [signer]).bytes
  }

  func withhold(_ role: String) { served[MetadataName.versioned(role, 1)] = nil }

  /// Searches as a new client. Returns the roles in the order of their requests.
  func search(_ path: String) async throws -> (found: Bool, requests: [String]) {
    client = nil
    stored = [:]
    return try await searchOn(path)
  }

  /// Searches with the metadata that earlier searches verified and stored.
  func searchOn(_ path: String) async throws -> (found: Bool, requests: [String]) {
    if client == nil { client = try await refreshed() }
    requests = []
    let file = try await client?.target(path)
    return (file != nil, requests.map { String($0.dropFirst("1.".count).dropLast(".json".count)) })
  }

  private func refreshed() async throws -> MetadataRefresh {
    var refresh = try MetadataRefresh(
      shippedRoot: served["1.root.json"] ?? [],
      stored: StoredMetadata(read: { self.stored[$0] }, persist: { self.stored[$0] = $1 }),
      fetch: { name, _ in
        self.requests.append(name)
        return self.served[name]
      }, now: Self.now)
    try await refresh.topLevel()
    return refresh
  }
}
