import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Readers in this and other processes continue while a store swaps and applies.
@Suite(.serialized) struct ReaderTests {
  static let swaps = Stage.isDeep ? 100 : 6
  static let applies = 4
  static let stops = 40
  /// Half of them read through a store, half through their own connections to seeds of `prepare`.
  static let threads = 8
  static let processes = 4

  private struct Scene {
    let folder: TemporaryFolder
    let publisher: ClientPublisherSimulator
    private var version = 0

    init() throws {
      folder = try TemporaryFolder(inMemory: true)
      publisher = try ClientPublisherSimulator()
    }

    /// Arguments that describe the model to another process.
    var arguments: [String] { ["transit", "\(model.version)", publisher.schema.hash.hex] }

    var model: SeedModel {
      SeedModel(dataset: "transit", version: ClientPublisherSimulator.model, schema: publisher.schema.hash)
    }

    func store() throws -> SeedStore {
      try SeedStore(
        model, server: try #require(URL(string: "http://seeds.example")), root: publisher.root,
        directory: folder("store"),
        environment: Environment(transport: publisher, now: { [publisher] in publisher.now }))
    }

    /// Publishes a version in which every stop is named after the version.
    mutating func publish(asSnapshot: Bool) throws {
      version += 1
      let names = (0..<ReaderTests.stops).map { ("s\($0)", "\(version)") }
      try publisher.publish(Dictionary(uniqueKeysWithValues: names))
      guard asSnapshot else { return }
      try publisher.publishSnapshot()
      try publisher.withdraw { $0.fileName.hasPrefix("delta") || $0.version.number < publisher.head }
    }
  }

  @Test(.full) func `every read sees one published version during swaps and applies, and none fails`()
    async throws
  {
    var scene = try Scene()
    try scene.publish(asSnapshot: true)
    let store = try scene.store()
    let first = try await store.prepare()
    let processes = try (0..<Self.processes).map { _ in
      try ReaderProcess(scene.folder("store"), scene.arguments)
    }
    let done = Shared(false)
    let reads = try await withThrowingTaskGroup(of: Int.self) { group in
      for thread in 0..<Self.threads {
        let reader = try scene.store()
        group.addTask {
          try await thread.isMultiple(of: 2) ? Self.read(reader, done) : Self.open(store, done)
        }
      }
      for _ in 0..<Self.swaps {
        for _ in 0..<Self.applies {
          try scene.publish(asSnapshot: false)
          #expect(try await store.update().action == .applied)
        }
        try scene.publish(asSnapshot: true)
        #expect(try await store.update().action == .replaced)
      }
      done.withLock { $0 = true }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let reports = try processes.map { try $0.stop() }
    #expect(reads.allSatisfy { $0 > 0 })
    #expect(reports.allSatisfy { $0.status == 0 }, "\(reports.map(\.output))")
    // `first` is still in use, so its generation keeps the last version before the swap.
    let held = try Connection(first.url.path, .reader).rows("SELECT DISTINCT name FROM stop").map {
      $0[0].text
    }
    #expect(held == ["\(1 + Self.applies)"])
    try await store.update()
    let left = try Folder.names(in: scene.folder("store/generations")).count
    #expect(left == 3, "the held one, the current and the previous one")
    print("reads by threads \(reads), by processes \(reports.map(\.output))")
  }

  @Test func `a live query of another process shows deltas and new files`() async throws {
    var scene = try Scene()
    let process = try ReaderProcess(scene.folder("store"), scene.arguments, ["follow"])
    let store = try scene.store()
    for version in 1...4 {
      try scene.publish(asSnapshot: version.isMultiple(of: 3) || version == 1)
      try await store.update()
      try process.waits(forLast: "\(version)")
    }
  }

  private static func read(_ store: SeedStore, _ done: Shared<Bool>) async throws -> Int {
    var reads = 0
    repeat {
      let seen = try await store.read { reader in
        (
          try reader.rows("SELECT value FROM seedbank_meta WHERE key = 'version'", as: String.self),
          try reader.rows("SELECT DISTINCT name FROM stop", as: String.self)
        )
      }
      guard seen.0 == seen.1 else { throw Torn(seen: "\(seen)") }
      reads += 1
      try? await Task.sleep(for: .milliseconds(1))
    } while !done.withLock({ $0 })
    return reads
  }

  /// Reads through a new connection to the newest seed. After its first read the connection never waits, so any lock of
  /// another connection fails it. The first read may wait: while the store closes its writing connection, SQLite
  /// briefly locks newcomers out to check whether it is the last connection.
  private static func open(_ store: SeedStore, _ done: Shared<Bool>) async throws -> Int {
    var reads = 0
    repeat {
      let seed = try await store.prepare()
      let connection = try Connection(seed.url.path, .reader)
      _ = try connection.value("SELECT count(*) FROM sqlite_schema")
      try connection.execute("PRAGMA busy_timeout = 0")
      for _ in 0..<10 {
        let seen = try connection.transaction(.deferred) {
          (
            try connection.rows("SELECT value FROM seedbank_meta WHERE key = 'version'").map { $0[0].text },
            try connection.rows("SELECT DISTINCT name FROM stop").map { $0[0].text }
          )
        }
        guard seen.0 == seen.1 else { throw Torn(seen: "\(seen)") }
        reads += 1
      }
      try? await Task.sleep(for: .milliseconds(1))
      withExtendedLifetime(seed) {}
    } while !done.withLock({ $0 })
    return reads
  }

  struct Torn: Error {
    let seen: String
  }
}
