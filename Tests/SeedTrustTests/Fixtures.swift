import Foundation
import SeedFormat
import SeedTrust

func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
  let url = FileManager.default.temporaryDirectory.appending(path: "seedtrust-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url.path)
}

func write(_ bytes: [UInt8], to path: String) throws {
  try FileManager.default.createDirectory(
    at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(bytes).write(to: URL(filePath: path))
}

/// A publication in memory with a publisher beside it, and with everything that an attacker might do to it.
///
/// One test owns it and awaits each use, so nothing here is ever touched from two threads at once.
final class Repository: @unchecked Sendable {
  static let transit = Series("transit", model: "2.1")

  var now: UTCTime
  var keys: PublicationKeys
  var published: PublishedMetadata
  var files: [String: [UInt8]] = [:]
  var requests: [String] = []
  private(set) var head = 0

  init(delegating series: [Series] = [transit], rootThreshold: Int = 2) throws {
    now = try UTCTime("2026-08-01T12:00:00Z")
    keys = Self.keys(rootThreshold: rootThreshold)
    let step = try RepositorySigner(now: now).create(delegating: series, keys: keys)
    published = step.published
    write(step)
    if series.contains(Self.transit) { try publish() }
  }

  static func keys(rootThreshold: Int) -> PublicationKeys {
    PublicationKeys(
      root: RoleSigners((0..<3).map { _ in .generate() }, threshold: rootThreshold),
      targets: RoleSigners([.generate(), .generate()], threshold: 2),
      online: OnlineKeys(
        series: RoleSigners([.generate()]), snapshot: RoleSigners([.generate()]),
        timestamp: RoleSigners([.generate()])))
  }

  var signer: RepositorySigner { RepositorySigner(now: now) }
  var root: [UInt8] { files["1.root.json"] ?? [] }

  func write(_ step: SigningStep) {
    for file in step.files { files[file.name] = file.bytes }
    published = step.published
  }

  /// One more version of a series.
  func publish(_ series: Series = transit) throws {
    head += 1
    write(try signer.publish([try metadata(series, head: head)], after: published, keys: keys.online))
  }

  func renewTimestamp() throws {
    write(try signer.renewTimestamp(after: published, keys: keys.online))
  }

  func rotateRoot(to new: PublicationKeys) throws {
    let signers =
      keys.root.keys
      + new.root.keys.filter { key in
        !keys.root.keys.contains { $0.publicKey == key.publicKey }
      }
    write(try signer.rotateRoot(to: new.rootVerifiers, after: published, signers: signers))
    keys = new
  }

  func metadata(_ series: Series, head: Int) throws -> SeriesMetadata {
    let model = try ModelVersion(major: series.major, minor: 1)
    let older = try ModelVersion(major: series.major, minor: 0)
    let state = SeriesState(
      epoch: try Epoch("0123456789abcdef"), head: try Version(head), floor: .first, model: model,
      models: [model: .of([1]), older: .of([0])],
      lifecycle: .deprecated(sunset: "2027-01-01", message: "Move to 3 \"soon\" – é\n"), publishedAt: now,
      pollSeconds: 3600, license: "CC0-1.0", attribution: "Stadtwerke", source: nil)
    var kinds: [PublishedObject.Kind] = [
      .snapshot(try Version(head), .gzip), .snapshot(try Version(head), .xz),
    ]
    if head > 1 { kinds.append(.delta(from: try Version(head - 1), to: try Version(head))) }
    return SeriesMetadata(series: series, state: state, objects: kinds.map { object($0, series, model) })
  }

  func object(_ kind: PublishedObject.Kind, _ series: Series, _ model: ModelVersion) -> PublishedObject {
    let bytes = Self.content(kind)
    return PublishedObject(
      series: series, kind: kind, length: bytes.count, sha256: .of(bytes), model: model, rawLength: 9,
      rawSHA256: .of([9]), schema: .of([1]), digest: .of([2]))
  }

  /// What stands in an object's file.
  static func content(_ kind: PublishedObject.Kind) -> [UInt8] { Array("the bytes of \(kind)".utf8) }

  // MARK: Attacks

  /// Puts metadata in place that is signed with just these keys.
  func forge<Role: SignedRole>(_ role: Role, _ name: String, _ signers: [SigningKey]) throws {
    files[name] = try Metadata(signing: role, with: signers).bytes
  }

  /// A timestamp like the current one, signed with the real key: what a thief of that key could make.
  func forgeTimestamp(version: Int, snapshot: Int, expires: UTCTime? = nil) throws {
    let header = RoleHeader(version: version, expires: expires ?? now.adding(days: 7))
    try forge(
      Timestamp(header: header, snapshot: MetaFile(version: snapshot)), "timestamp.json",
      keys.online.timestamp.keys)
  }

  /// The same with a length and digests, which stand in JSON as they are given.
  func forgeTimestamp(version: Int, snapshot: Int, length: Int, hashes: String) throws {
    let header =
      #""_type":"timestamp","spec_version":"1.0.31","version":\#(version),"expires":"2026-08-09T00:00:00Z""#
    let meta = #"{"snapshot.json":{"version":\#(snapshot),"length":\#(length),"hashes":{\#(hashes)}}}"#
    let tree = try JSONValue(parsing: Array("{\(header),\"meta\":\(meta)}".utf8))
    let key = keys.online.timestamp.keys[0]
    let signature = lowerHex(key.sign(try CanonicalJSON.bytes(of: tree)))
    let signatures: JSONValue = [["keyid": .string(key.publicKey.keyID), "sig": .string(signature)]]
    files["timestamp.json"] = (["signatures": signatures, "signed": tree] as JSONValue).bytes
  }

  /// A TUF snapshot role and a timestamp that announces it, signed with the real keys.
  func forgeSnapshot(version: Int, _ meta: [String: Int], expires: UTCTime? = nil) throws {
    let header = RoleHeader(version: version, expires: expires ?? now.adding(days: 7))
    try forge(
      SnapshotRole(header: header, meta: meta.mapValues { MetaFile(version: $0) }),
      "\(version).snapshot.json",
      keys.online.snapshot.keys)
    try forgeTimestamp(version: published.timestamp.version + 1, snapshot: version)
  }

  var fetch: MetadataFetcher {
    { name, _ in
      self.requests.append(name)
      return self.files[name]
    }
  }
}

/// A client's own copies of metadata.
final class Client {
  var files: [String: [UInt8]] = [:]
  var persisted: [String] = []
  let root: [UInt8]

  init(root: [UInt8]) { self.root = root }

  func refresh(
    _ repository: Repository, _ series: Series = Repository.transit, at now: UTCTime? = nil
  ) async throws -> SeriesMetadata {
    repository.requests = []
    persisted = []
    return try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: stored, fetch: repository.fetch, now: now ?? repository.now)
  }

  var stored: StoredMetadata {
    StoredMetadata(
      read: { self.files[$0] },
      persist: { name, bytes in
        self.files[name] = bytes
        self.persisted.append(name)
      })
  }
}
