import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct RestartTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
  }

  @Test func `a restart finds the data offline including deltas`() async throws {
    try await started { store in
      try fixture.publisher.publish(["b": "Bellevue"])
      try await store.update()
    }
    fixture.publisher.withServed { $0.failure = .offline }
    let store = try fixture.store()
    #expect(try await store.prepare().version == .first.next)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    #expect(await code { try await store.update() } == .network)
  }

  @Test func `an offline start without data is an error and creates no empty database`() async throws {
    fixture.publisher.withServed { $0.failure = .offline }
    let store = try fixture.store()
    #expect(await code { try await store.prepare() } == .network)
    fixture.publisher.withServed { $0.failure = nil }
    #expect(try await store.prepare().version == .first)
  }

  @Test func `files and folders left by a crash are removed`() async throws {
    try await started { _ in }
    let leftovers = [
      "partial/0123", "generations/7-00ff/seed.sqlite", "generations/.DS_Store", "trust/root.json.tmp",
      "CURRENT.tmp",
    ]
    for leftover in leftovers {
      let url = URL(fileURLWithPath: "\(fixture.directory)/\(leftover)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("half".utf8).write(to: url)
    }
    for folder in ["partial/dir/inner", "partial/4567.part"] {
      try Folder.create("\(fixture.directory)/\(folder)")
    }
    let store = try fixture.store()
    try await store.update()
    #expect(try fixture.names("partial").isEmpty)
    #expect(try fixture.names("generations").count == 1)
    let trusted = try fixture.names("trust")
    #expect(!trusted.contains { $0.hasSuffix(".tmp") })
    #expect(try fixture.names("") == ["CURRENT", "LOCK", "STATE", "generations", "partial", "trust"])
  }

  @Test func `a damaged current file is replaced by a snapshot`() async throws {
    try await started { _ in }
    let name = try #require(try fixture.names("generations").first)
    let file = URL(fileURLWithPath: "\(fixture.directory)/generations/\(name)/seed.sqlite")
    try Data("no database at all, and long enough to be read as one's header".utf8).write(to: file)
    let store = try fixture.store()
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  @Test(arguments: ["CURRENT", "REJECTED", "generations/*/generation.json"])
  func `a file of the store that a disk has filled with garbage is replaced`(_ file: String) async throws {
    try await started { _ in }
    let name = try #require(try fixture.names("generations").first)
    let garbage = Data(repeating: UInt8(ascii: "a"), count: 5000)
    try garbage.write(
      to: URL(fileURLWithPath: "\(fixture.directory)/\(file.replacing("*", with: name))"))
    let store = try fixture.store()
    try await store.update()
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  @Test func `a second writer is rejected but keeps its generation and opens the newest at its next read`()
    async throws
  {
    let first = try fixture.store()
    try await first.prepare()
    let second = try fixture.store()
    var files = second.files.makeAsyncIterator()
    #expect(try await second.stops() == ["Alexanderplatz"])
    let old = try #require(await files.next())
    #expect(await code { try await second.update() } == .storeLocked)
    for name in ["Al", "Alex"] {
      try fixture.publisher.startEpoch()
      try fixture.publisher.publish(["a": name])
      try await first.update()
    }
    #expect(
      try fixture.names("generations").count == 3, "the current one, the one before, and the one that is read"
    )
    #expect(try stops(inFile: old.url) == ["Alexanderplatz"])
    #expect(await code { try await second.update() } == .storeLocked)
    #expect(try await second.stops() == ["Alex"])
    let new = try #require(await files.next())
    #expect(new.url != old.url && new.version.number == 2)
  }

  @Test func `a directory of another series is refused each time, and a leftover that stays stops nothing`()
    async throws
  {
    try await fixture.store().update()
    let other = try fixture.store("trnsit")
    for _ in 0..<2 { #expect(await code { try await other.update() } == .configuration) }
    try FileManager.default.createDirectory(
      atPath: "\(fixture.directory)/no-file.tmp", withIntermediateDirectories: true)
    try await fixture.store().update()
    withExtendedLifetime(other) {}
  }

  @Test func `concurrent updates run one after the other`() async throws {
    let store = try fixture.store()
    async let one = store.update()
    async let two = store.update()
    let actions = try await [one.action, two.action]
    #expect(Set(actions) == [.replaced, .upToDate])
  }

  private func started(_ body: (SeedStore) async throws -> Void) async throws {
    let store = try fixture.store()
    try await store.prepare()
    try await body(store)
    // A released store closes after its last task, which may take a moment.
    await store.close()
  }
}
