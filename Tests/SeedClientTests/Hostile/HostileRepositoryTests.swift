import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Against any server, an update ends with its documented error or with the new data, keeps old data readable, and
/// does not fill the disk.
@Suite struct HostileRepositoryTests {
  @Test(arguments: HostileCase.tried)
  func `each hostile behaviour ends in its documented error or in the new data`(example: HostileCase)
    async throws
  {
    let world = try await HostileWorld.shared.value
    let device = try Device(world)
    let files = files(of: example.publication, world)
    let server = try HostileRepository(files, example.behaviour, device.clock)
    defer { server.stop() }
    let store = try device.store(server.url)
    #expect(try await store.mark() == "Old")
    let failure = await code { try await store.update() }
    switch example.outcome {
    case .succeeds: #expect(failure == nil)
    case .fails(let expected): #expect(failure == expected)
    }
    #expect(try await store.mark() == (failure == nil ? "New" : "Old"))
    #expect(try device.bytes(in: "partial") <= world.largest)
    #expect(try device.names(in: "generations").count <= 2)
    guard example.publication != .bomb else { return }
    server.reform()
    try await store.update()
    #expect(try await store.mark() == "New")
    #expect(try device.names(in: "partial").isEmpty)
  }

  private static let honest = HostileBehaviour("honest", at: "", times: 0) { _ in false }

  @Test func `a snapshot with an index that a device does not build is damaged`() throws {
    let error = #expect(throws: ForeignDefinition.self) {
      try OmittedIndexes.rehearse("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE INDEX i ON a(trim(id))")
    }
    #expect(SeedError(try #require(error)).code == .damaged)
  }

  private func files(of publication: HostileCase.Publication, _ world: HostileWorld) -> [String: [UInt8]] {
    switch publication {
    case .delta: world.withDelta
    case .both: world.withBoth
    case .snapshot: world.withSnapshot
    case .bomb: world.withBomb
    }
  }

  /// Without a status, the connection breaks. With one, the access ends in the middle of the download.
  @Test(arguments: [(nil, .network), (401, .accessDenied), (403, .missingFile)] as [(Int?, SeedError.Code)])
  func `an update resumes a partial download after a restart`(
    _ status: Int?, _ expected: SeedError.Code
  ) async throws {
    let world = try await HostileWorld.shared.value
    let device = try Device(world)
    let (arrived, snapshot) = (20_000, "snapshot-1.")
    let breaking = HostileBehaviour("breaking", at: snapshot) { exchange in
      guard exchange.count == 1 else { return status.map { exchange.status($0) } ?? false }
      exchange.head("200 OK", length: exchange.content.count)
      exchange.connection.send(exchange.content.prefix(arrived))
      return false
    }
    let server = try HostileRepository(world.withSnapshot, breaking, device.clock)
    defer { server.stop() }
    #expect(await code { try await device.store(server.url).update() } == expected)
    #expect(try device.names(in: "partial").count == 1)
    server.reform()
    let report = try await device.store(server.url).update()
    #expect(report.action == .replaced && report.traffic.restarts == 0)
    #expect(report.traffic.bytes < report.bytes && report.bytes > arrived)
    #expect(try device.names(in: "partial").isEmpty)
  }

  @Test func `keepUpdated waits for a busy server as long as it asked`() async throws {
    let world = try await HostileWorld.shared.value
    let device = try Device(world)
    let busy = HostileBehaviour("busy", at: "timestamp") { $0.status(503, "Retry-After: 1234") }
    let server = try HostileRepository(world.withSnapshot, busy, device.clock)
    defer { server.stop() }
    let waits = AsyncStream.makeStream(of: Duration.self)
    let store = try device.store(server.url) { waits.continuation.yield($0) }
    let task = Task<Void, any Error> { try await store.keepUpdated() }
    // The requested wait plus half of the spread.
    for await wait in waits.stream where wait == .seconds(1234 + 20) { break }
    task.cancel()
    #expect(await code { try await task.value } == .cancelled)
  }

  @Test func `metadata of another publisher, of another time or in another order is rejected`() async throws {
    let world = try await HostileWorld.shared.value
    #expect(try await outcome(serving: world.foreign, world) == .untrusted)
    var mixed = world.withSnapshot
    mixed["metadata/timestamp.json"] = world.foreign["metadata/timestamp.json"]
    #expect(try await outcome(serving: mixed, world) == .untrusted)
    mixed = world.withSnapshot
    mixed["metadata/timestamp.json"] = world.withDelta["metadata/timestamp.json"]
    // A complete earlier state was published once, so it is accepted.
    #expect(try await outcome(serving: mixed, world) == nil)
  }

  @Test func `a clock in the future finds everything stale and one in the past accepts it`() async throws {
    let world = try await HostileWorld.shared.value
    #expect(try await outcome(serving: world.withSnapshot, world, daysLater: 30) == .stale)
    #expect(try await outcome(serving: world.withSnapshot, world, daysLater: -3000) == nil)
  }

  private func outcome(
    serving files: [String: [UInt8]], _ world: HostileWorld, daysLater days: Int = 0
  ) async throws -> SeedError.Code? {
    let device = try Device(world)
    let server = try HostileRepository(files, Self.honest, device.clock)
    defer { server.stop() }
    let store = try device.store(server.url, now: world.now.adding(days: days))
    return await code { try await store.update() }
  }
}

private struct Device {
  let world: HostileWorld
  let clock = TestClock()
  private let folder: TemporaryFolder

  init(_ world: HostileWorld) throws {
    self.world = world
    folder = try TemporaryFolder(inMemory: true)
    try world.copyDevice(to: folder("store"))
  }

  func store(
    _ server: URL, now: UTCTime? = nil, onSleep: @escaping @Sendable (Duration) -> Void = { _ in }
  ) throws -> SeedStore {
    let time = now ?? world.now
    return try SeedStore(
      world.model, server: server, root: world.root, directory: folder("store"),
      environment: Environment(
        transport: URLSessionTransport(userAgent: "test"), now: { time },
        sleep: { [clock] duration in
          onSleep(duration)
          try await clock.sleep(duration)
        }, chance: { 0.5 }, uptime: { [clock] in clock.uptime })
    )
  }

  func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder("store"))/\(name)")
  }

  func bytes(in name: String) throws -> Int {
    try names(in: name).reduce(0) { sum, file in
      try sum + File("\(folder("store"))/\(name)/\(file)", for: .reading).length()
    }
  }
}

extension SeedStore {
  /// The name by which the versions differ.
  fileprivate func mark() async throws -> String? {
    try await value("SELECT name FROM stop WHERE id = 'a'")
  }
}
