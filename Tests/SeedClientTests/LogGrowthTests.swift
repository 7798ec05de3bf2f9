import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

@Suite struct LogGrowthTests {
  private static let pulls = 200
  /// Deltas that the publisher keeps. A client that keeps up needs one.
  private static let keptDeltas = 10
  private static let stops = 300
  /// Upper bound of file plus WAL in file sizes: the file and the WAL of two deltas that each change every row, one
  /// held by a reader and the next one.
  private static let mostTimes = 3.0

  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func change(_ number: Int) throws {
    let names = (0..<Self.stops).map { ("s\($0)", "Stop \($0) of \(number)") }
    try fixture.publisher.publish(Dictionary(uniqueKeysWithValues: names))
  }

  private func publish(_ number: Int) throws {
    try change(number)
    guard number.isMultiple(of: Self.keptDeltas) else { return }
    let head = fixture.publisher.head
    try fixture.publisher.withdraw { $0.fileName.hasPrefix("delta") && $0.version.number < head }
  }

  private func file(in directory: String? = nil) throws -> GenerationFolder {
    let layout = StoreLayout(directory: directory ?? fixture.directory)
    return layout.folder(try #require(try layout.pointer()?.current))
  }

  /// The WAL's bytes, and their ratio to the file's.
  private func log(in directory: String? = nil) throws -> (bytes: Int, share: Double) {
    let path = try file(in: directory).file
    let log = try FileStamp("\(path)-wal")?.size ?? 0
    return (log, Double(log) / Double(try #require(try FileStamp(path)).size))
  }

  private func expectBound(_ what: Int) throws {
    let share = try log().share
    try #require(1 + share <= Self.mostTimes, "update \(what): the log is \(share) times the file")
  }

  /// Leaves the store's files like a process that ends without closing.
  private func die(_ store: SeedStore) async throws {
    let (directory, left) = (fixture.directory, fixture.folder("left"))
    try FileManager.default.copyItem(atPath: directory, toPath: left)
    try Folder.remove("\(file(in: left).file)-shm")
    try Folder.removeAll(directory)
    try Folder.rename(left, to: directory)
    withExtendedLifetime(store) {}
  }

  // MARK: Growth

  @Test(.full) func `a store does not grow if every update is a process that ends without closing`()
    async throws
  {
    for number in 1...Self.pulls {
      try publish(number)
      let store = try fixture.store()
      try await store.update()
      try await die(store)
      try expectBound(number)
    }
    #expect(try await fixture.store().stops().last == "Stop 99 of \(Self.pulls)")
  }

  @Test(.full) func `a store does not grow under permanent readers`() async throws {
    let store = try fixture.store()
    try publish(1)
    try await store.update()
    var reader = try reader()
    for number in 2...Self.pulls {
      try publish(number)
      try await store.update()
      #expect(try Self.seen(by: reader) == "Stop 0 of \(number - 1)")
      try expectBound(number)
      reader = try self.reader()
      #expect(await !store.writer.emptyLog(), "the reader needs it")
      reader = try self.reader()
      #expect(await store.writer.emptyLog(), "the reader reads the file alone")
      #expect(try Self.seen(by: reader) == "Stop 0 of \(number)")
    }
  }

  @Test func `a reader that never ends keeps the log of one file, and the data continues in a new one`()
    async throws
  {
    let messages = Shared<[String]>([])
    var options = SeedOptions()
    options.log = { entry in messages.withLock { $0.append(entry.message) } }
    let store = try fixture.store(options: options)
    try change(1)
    try await store.update()
    let (reader, held) = (try reader(), try file())
    var reasons: [UpdatePlan.Reason] = []
    for number in 2...16 {
      try change(number)
      reasons.append(try await store.update().plan.reason)
      #expect(try await store.stops().first == "Stop 0 of \(number)")
    }
    #expect(reasons.count { $0 == .logHeld } == 1, "\(reasons)")
    #expect(try log().bytes == 0)
    let (left, size) = (try FileStamp("\(held.file)-wal")?.size, try FileStamp(held.file)?.size)
    #expect(try #require(left) <= 4 * #require(size))
    #expect(try Self.seen(by: reader) == "Stop 0 of 1")
    #expect(messages.withLock(\.self).contains { $0.contains("-wal has grown to ") })
  }

  @Test func `a rollback from such a new file keeps the old one usable, which has the same snapshot`()
    async throws
  {
    let store = try fixture.store()
    try change(1)
    try await store.update()
    let reader = try reader()
    try swell()
    try change(2)
    #expect(try await store.update().plan.reason == .logHeld)
    #expect(try await store.rollBack().version == .first)
    #expect(await code { try await store.update() } == .rejected)
    await store.close()
    let restarted = try fixture.store()
    #expect(try await restarted.stops().first == "Stop 0 of 1")
    try change(3)
    try await restarted.update()
    #expect(try await restarted.stops().first == "Stop 0 of 3")
    withExtendedLifetime(reader) {}
  }

  @Test func `damage in such a new file does not reject the snapshot, which the old one shares`() async throws
  {
    let store = try fixture.store()
    try change(1)
    try await store.update()
    let (reader, old) = (try reader(), try file())
    try swell()
    try change(2)
    #expect(try await store.update().plan.reason == .logHeld)
    await store.close()
    try fixture.damage { $0.removeLast($0.count - 2000) }
    let layout = StoreLayout(directory: fixture.directory)
    for _ in 0..<2 {
      let restarted = try fixture.store()
      // Takes the lock.
      #expect(await code { try await restarted.rollBack() } == .noPrevious)
      #expect(try await restarted.stops().first == "Stop 0 of 1")
      #expect(try layout.rejected().isEmpty && layout.pointer()?.current == old.name)
      await restarted.close()
    }
    withExtendedLifetime(reader) {}
  }

  @Test func `if the policy forbids the snapshot, deltas continue despite the log`() async throws {
    let store = try fixture.store()
    try change(1)
    try await store.update()
    let reader = try reader()
    try swell()
    try change(2)
    let policy = UpdatePolicy(maximumBytes: try fixture.lastDelta.length)
    #expect(try await store.update(policy).plan.reason != .logHeld)
    try change(3)
    #expect(try await store.update().plan.reason == .logHeld)
    withExtendedLifetime(reader) {}
  }

  private func reader() throws -> Connection {
    let reader = try Connection(file().file, .reader)
    try reader.execute("BEGIN; SELECT count(*) FROM stop")
    return reader
  }

  private static func seen(by reader: Connection) throws -> String? {
    try reader.value("SELECT name FROM stop WHERE id = 's0'")?.text
  }

  // MARK: A full disk

  @Test func `a WAL left by another process is truncated before free space is checked`() async throws {
    try publish(1)
    let first = try fixture.store()
    try await first.update()
    try swell()
    try await die(first)
    let before = try log()
    #expect(before.share > 5)
    try publish(2)
    let quota = try used() + before.bytes / 2
    let directory = fixture.directory
    let store = try fixture.store { $0.freeBytes = { _ in (try? Self.used(directory)).map { quota - $0 } } }
    #expect(try await store.update().action == .applied)
    #expect(try log().bytes == 0)
  }

  /// Writes a long WAL of changes that cancel each other.
  private func swell() throws {
    let writer = try Connection(file().file, .writer)
    try writer.execute("PRAGMA wal_autocheckpoint = 0")
    for _ in 0..<10 {
      // SQLite writes no page whose rows stay the same.
      try writer.execute("UPDATE stop SET name = name || '!'")
      try writer.execute("UPDATE stop SET name = substr(name, 1, length(name) - 1)")
    }
  }

  private func used() throws -> Int { try Self.used(fixture.directory) }

  private static func used(_ path: String) throws -> Int {
    try Folder.names(in: path).reduce(0) { sum, name in
      let inner = "\(path)/\(name)"
      return sum + (Folder.isFolder(inner) ? try used(inner) : try FileStamp(inner)?.size ?? 0)
    }
  }
}
