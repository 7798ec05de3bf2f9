import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// A client that follows a publication through signed metadata and through the plain interface, and checks on every
/// update that everything it reads is consistent.
final class FollowingClient {
  private let port: UInt16
  private let root: [UInt8]
  private let folder: TemporaryFolder
  private var stored: [String: [UInt8]] = [:]
  private var seed: (connection: Connection, schema: DatabaseSchema, version: SeedVersion)?

  init(port: UInt16, root: [UInt8]) throws {
    (self.port, self.root) = (port, root)
    folder = try TemporaryFolder(inMemory: true)
  }

  struct Mixed: Error { let what: String }

  /// Updates to the server's current head and returns its version.
  func look(now: UTCTime) async throws -> Int {
    let client = try RawClient(port: port)
    let metadata = try await refreshed(by: client, now)
    try await follow(metadata, by: client)
    try checkChanges(by: client)
    try checkDescription(by: client)
    return metadata.state.head.number
  }

  // MARK: Signed interface

  private func refreshed(by client: RawClient, _ now: UTCTime) async throws -> SeriesMetadata {
    // The fetcher may be called from any thread, but never concurrently.
    nonisolated(unsafe) let client = client
    return try await MetadataRefresh.refresh(
      series: ServedDeployment.series, shippedRoot: root,
      stored: StoredMetadata(
        read: { [self] in stored[$0] }, persist: { [self] name, bytes in stored[name] = bytes }),
      fetch: { name, limit in
        let answer = try client.get("/metadata/\(name)")
        guard answer.status != 404 else { return nil }
        guard answer.status == 200, answer.body.count <= limit else { throw Mixed(what: "metadata \(name)") }
        return answer.body
      }, now: now)
  }

  private func follow(_ metadata: SeriesMetadata, by client: RawClient) async throws {
    if seed == nil || (seed?.version ?? metadata.state.floor) < metadata.state.floor {
      try takeSnapshot(metadata, by: client)
    }
    guard let (connection, schema, version) = seed else { return }
    // A cache in front may serve a head older than this client's version.
    guard version < metadata.state.head else { return }
    guard let chain = DeltaChain.shortest(metadata.objects, from: version, to: metadata.state.head) else {
      throw Mixed(what: "no chain from \(version) to \(metadata.state.head)")
    }
    for delta in chain {
      let document = try Compression.gunzip(download(delta, by: client), limit: delta.rawLength)
      try connection.transaction { _ = try DeltaApplier(connection, schema).apply(document) }
      guard try StateDigest.of(SeedTables.sums(connection)) == delta.digest else {
        throw Mixed(what: "\(delta.fileName) does not lead to the signed state")
      }
      // The next delta may fail; a later update continues here.
      seed = (connection, schema, delta.version)
    }
  }

  private func takeSnapshot(_ metadata: SeriesMetadata, by client: RawClient) throws {
    guard let object = metadata.newestSnapshot else { throw Mixed(what: "no snapshot") }
    let name = UUID().uuidString
    try Data(download(object, by: client)).write(to: URL(fileURLWithPath: folder(name + ".gz")))
    _ = try Compression.expand(folder(name + ".gz"), to: folder(name), .gzip, limit: object.rawLength)
    let connection = try Connection(folder(name), .writer)
    seed = (connection, try SchemaReader(connection).schema(), object.version)
  }

  private func download(_ object: PublishedObject, by client: RawClient) throws -> [UInt8] {
    let answer = try client.get("/\(object.filePath)")
    guard answer.status == 200, SHA256Digest.of(answer.body) == object.sha256 else {
      throw Mixed(what: "\(object.filePath): \(answer.status)")
    }
    return answer.body
  }

  // MARK: Plain interface

  /// Checks that the changes between floor and head form one unbroken chain.
  private func checkChanges(by client: RawClient) throws {
    guard let version = seed?.version.number else { return }
    let since = max(1, version - 3)
    let answer = try client.get("/v1/test/changes?model=1.0&since=\(since)")
    if answer.status == 410 { return }
    let json = try JSONValue(parsing: answer.body)
    guard answer.status == 200, let from = json["from"]?.number, let to = json["to"]?.number,
      let head = json["head"]?.number, answer["Seedbank-Version"] == "\(to)"
    else { throw Mixed(what: "changes since \(since): \(answer.status)") }
    var reached = from
    for delta in json["deltas"]?.elements ?? [] {
      guard let start = delta["from"]?.number, let end = delta["to"]?.number, start <= reached, end > reached
      else { throw Mixed(what: "changes since \(since) have a gap at \(reached)") }
      reached = end
    }
    guard from == since, reached == to, to <= head else { throw Mixed(what: "changes since \(since)") }
  }

  /// Checks that all snapshots in the description exist with the announced tag.
  private func checkDescription(by client: RawClient) throws {
    let answer = try client.get("/v1/test")
    let series = try JSONValue(parsing: answer.body)["series"]?.elements?.first
    guard answer.status == 200, let head = series?["head"]?.number, let floor = series?["floor"]?.number,
      floor <= head, let snapshots = series?["snapshots"]?.elements, !snapshots.isEmpty
    else { throw Mixed(what: "the description") }
    for snapshot in snapshots {
      guard let url = snapshot["url"]?.string, let hash = snapshot["sha256"]?.string,
        (snapshot["version"]?.number).map({ $0 <= head }) == true
      else { throw Mixed(what: "a snapshot of the description") }
      let found = try client.get(url, method: "HEAD")
      guard found.status == 200, found["ETag"] == "\"\(hash)\"" else {
        throw Mixed(what: "\(url): \(found.status)")
      }
    }
  }

  func rows() throws -> SeedRows? { try seed.map { try seedRows($0.connection, $0.schema) } }
}

extension JSONValue {
  fileprivate var number: Int? {
    if case .integer(let number) = self { Int(number) } else { nil }
  }
}
