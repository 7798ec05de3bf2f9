import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

@Suite struct OlderMajorTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
  }

  /// The default directory of a series, next to the fixture's.
  private func directory(_ name: String) -> String {
    let own = StoreDirectory.defaultPath(ClientPublisherSimulator.series, in: fixture.folder("data"))
    return "\(Folder.parent(of: own))/\(name)"
  }

  @discardableResult
  private func leave(_ name: String) throws -> StoreLayout {
    let layout = StoreLayout(directory: directory(name))
    try layout.create()
    let generation = layout.folder("1-aa")
    try Folder.create(generation.path)
    for file in [layout.lock, layout.current, generation.record, generation.file] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    }
    return layout
  }

  private func store() throws -> SeedStore {
    let folder = fixture.folder("data")
    return try fixture.store(inDefaultDirectory: true) { $0.dataFolder = { folder } }
  }

  @Test func `only older majors are removed and only after the new one was read`() async throws {
    let store = try store()
    for name in ["transit-1", "transit-3", "trams-1"] { try leave(name) }
    try Folder.create(directory("transit-0"))
    try await store.update()
    try await store.update()
    #expect(Folder.exists(directory("transit-1")), "nobody has read the new one yet")
    _ = try await store.stops()
    try await store.update()
    let left = try Folder.names(in: Folder.parent(of: directory("transit-2")))
    #expect(left == ["trams-1", "transit-0", "transit-2", "transit-3"])
  }

  @Test(arguments: [true, false])
  func `an older major in use by another process stays until it is free`(_ writes: Bool) async throws {
    let old = try leave("transit-1")
    var lock =
      writes ? try FileLock.exclusive(old.lock) : try FileLock.shared(old.folder("1-aa").record)
    #expect(lock != nil)
    let store = try store()
    _ = try await store.stops()
    try await store.update()
    #expect(Folder.exists(old.folder("1-aa").file) && Folder.exists(old.current))
    lock = nil
    try await store.update()
    #expect(!Folder.exists(old.directory))
  }

  @Test func `a folder that is no store stays and a store with an explicit directory removes nothing`()
    async throws
  {
    try Folder.create(directory("transit-1"))
    let store = try store()
    _ = try await store.stops()
    try await store.update()
    #expect(Folder.exists(directory("transit-1")))
    let named = try fixture.store()
    _ = try await named.stops()
    let beside = StoreLayout(directory: fixture.folder("transit-1"))
    try beside.create()
    try Data().write(to: URL(fileURLWithPath: beside.lock))
    try await named.update()
    #expect(Folder.exists(beside.directory))
  }
}
