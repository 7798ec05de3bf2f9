import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedFront
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite(.serialized) struct FollowFleetTests {
  private static let versions = (Stage.isDeep ? 300 : 25)
  private static let clients = 3

  @Test(.full)
  func `clients reach the newest rows without extra snapshots while followers are killed and started`()
    async throws
  {
    let fleet = try FollowFleet(seed: Stage.seed)
    let signed = try FollowingClient(port: fleet.port, root: fleet.origin.root)
    let devices = try (0..<Self.clients).map { _ in try FleetDevice(of: fleet) }
    var plain = (0..<Self.clients).map { _ in PlainFollower(port: fleet.port) }
    for _ in 1...Self.versions {
      try fleet.origin.publish()
      try fleet.disturb()
      for _ in 0..<3 {
        _ = try await Self.look(signed)
        for index in plain.indices { try plain[index].look() }
      }
      for device in devices { try await device.look() }
    }
    try fleet.startAll()
    let head = try fleet.origin.deployment.metadata().state.head.number
    try await until("the signed road leads to the head") { try await Self.look(signed) == head }
    for index in plain.indices {
      try await until("the plain road leads to the head") {
        try plain[index].look()
        return plain[index].version == head
      }
    }
    for device in devices {
      try await until("the library is at the head") { try await device.look() == head }
    }
    let what = "seed \(fleet.seed)"
    #expect(plain.allSatisfy { $0.snapshots == 1 }, "\(what)")
    print(
      "\(Self.versions) versions, \(fleet.kills) kills, \(plain.map(\.waits)) waits of plain clients, "
        + "\(devices.map(\.failures)) failed updates of the library")
    let direct = try FollowingClient(port: fleet.origin.front.port, root: fleet.origin.root)
    #expect(try await direct.look(now: .now()) == head)
    #expect(try signed.rows() == direct.rows(), "\(what)")
    for device in devices {
      #expect(try await device.rows() == direct.rows(), "\(what)")
      #expect(device.snapshots == 1, "\(what)")
    }
    #expect(fleet.errorsOfFollowers == [], "\(what)")
  }

  /// Updates the client; returns nil if a follower is behind or down.
  private static func look(_ client: FollowingClient) async throws -> Int? {
    do {
      return try await client.look(now: .now())
    } catch is TrustError {
      return nil
    } catch let error as FollowingClient.Mixed where isPassing(error.what) {
      return nil
    }
  }

  /// Whether the error comes from a follower that is down or lacks a newer file.
  private static func isPassing(_ what: String) -> Bool {
    what.hasPrefix("metadata ") || what == "the description"
      || ["404", "500", "502", "503", "504"].contains { what.hasSuffix(": \($0)") }
  }
}

private final class FleetDevice {
  private let store: SeedStore
  private let folder: TemporaryFolder
  private(set) var snapshots = 0
  private(set) var failures = 0

  init(of fleet: FollowFleet) throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try SeedStore(
      SeedModel(dataset: "test", version: "1.0"),
      server: try #require(URL(string: "http://127.0.0.1:\(fleet.port)")), root: Data(fleet.origin.root),
      directory: URL(fileURLWithPath: folder("store")))
  }

  @discardableResult
  func look() async throws -> Int? {
    do {
      if try await store.update().action == .replaced { snapshots += 1 }
    } catch {
      guard SeedError(error).isRetryable else { throw error }
      failures += 1
    }
    return await store.state.version?.number
  }

  func rows() async throws -> SeedRows {
    let seed = try await store.prepare()
    defer { withExtendedLifetime(seed) {} }
    let connection = try Connection(seed.url.path, .reader)
    return try seedRows(connection, SchemaReader(connection).schema())
  }
}
