import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct SuspensionTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  private func locked() throws -> [String] {
    let records = try fixture.names("generations").map { "generations/\($0)/generation.json" }
    return try (["LOCK"] + records).filter { name in
      let file = try File("\(fixture.directory)/\(name)", for: .reading)
      guard try file.tryLock() else { return true }
      file.unlock()
      return false
    }
  }

  @Test func `a suspended store holds no lock even while the app holds a seed`() async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    #expect(try locked().count == 2)
    await store.suspend()
    #expect(try locked().isEmpty)
    #expect(await code { _ = try await store.stops() } == .suspended)
    #expect(await code { try await store.prepare() } == .suspended)
    #expect(await code { try await store.update() } == .suspended)
    await store.resume()
    #expect(try await store.stops() == ["One"])
    #expect(try stops(inFile: seed.url) == ["One"])
  }

  @Test func `a resumed store opens the data of another process`() async throws {
    let store = try fixture.store()
    try await store.update()
    var files = store.files.makeAsyncIterator()
    let first = await files.next()
    await store.suspend()
    let other = try fixture.store()
    for number in 2...4 {
      try fixture.publishGeneration(["a": "Name \(number)"])
      try await other.update()
    }
    try await other.update()
    #expect(try fixture.names("generations").count == 2)
    await store.resume()
    let second = await files.next()
    #expect(second?.version.number == 4 && second?.url != first?.url)
    #expect(try await store.stops() == ["Name 4"])
  }

  @Test func `a resumption without changes yields the same generation again`() async throws {
    let store = try fixture.store()
    try await store.update()
    var files = store.files.makeAsyncIterator()
    let first = await files.next()
    await store.suspend()
    await store.resume()
    #expect(await files.next()?.url == first?.url)
    try fixture.publishGeneration(["a": "Two"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a suspension ends a running update and the next one completes it`() async throws {
    let store = try fixture.store()
    try await store.update()
    try fixture.publishGeneration(["a": "Two"])
    let gate = fixture.hold("snapshot-")
    let update = Task { await code { try await store.update() } }
    await gate.untilWaiting()
    await store.suspend()
    #expect(await update.value == .suspended)
    #expect(try locked().isEmpty)
    gate.open()
    await store.resume()
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a background update suspends the store again only if it was suspended`() async throws {
    let store = try fixture.store()
    try await store.updateInBackground()
    #expect(try await store.stops() == ["One"])
    await store.suspend()
    try fixture.publishGeneration(["a": "Two"])
    #expect(try await store.updateInBackground().action == .replaced)
    #expect(await code { _ = try await store.stops() } == .suspended)
    #expect(try locked().isEmpty)
    fixture.publisher.withServed { $0.failure = .offline }
    #expect(await code { try await store.updateInBackground() } == .network)
    #expect(await code { _ = try await store.stops() } == .suspended)
  }

  @Test func `a background update leaves a store open that the app resumed meanwhile`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let files = Collected(store.files)
    try await until { files.all.count == 1 }
    await store.suspend()
    let gate = fixture.hold()
    let update = Task { try await store.updateInBackground() }
    await gate.untilWaiting()
    await store.resume()
    try await until("`files` yields the file again") { files.all.count == 2 }
    gate.open()
    _ = try await update.value
    #expect(try await store.stops() == ["One"])
  }

  @Test func `a background update gives the app no file to open before it resumes the store`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let files = Collected(store.files)
    try await until { files.all.count == 1 }
    await store.suspend()
    for name in ["Two", "Three"] {
      try fixture.publishGeneration(["a": name])
      try await store.updateInBackground()
    }
    var later = store.files.makeAsyncIterator()
    await store.resume()
    #expect(await later.next()?.version.number == 3)
    try await until { files.all.last?.version.number == 3 }
    #expect(files.all.map(\.version.number) == [1, 3])
    await store.suspend()
    try fixture.publishGeneration(["a": "Four"])
    try await store.updateInBackground()
    await store.close()
    try await until { files.isOver }
    #expect(files.all.map(\.version.number) == [1, 3])
  }

  @Test func `keepUpdated and live queries continue after a suspension without an error`() async throws {
    let store = try fixture.store()
    var rows = store.observe("SELECT name FROM stop", as: String.self).makeAsyncIterator()
    try await store.prepare()
    #expect(try await rows.next() == ["One"])
    let gate = fixture.hold()
    let keeping = Task<Void, any Error> { try await store.keepUpdated { Issue.record("\($0)") } }
    await gate.untilWaiting()
    await store.suspend()
    gate.open()
    try fixture.publishGeneration(["a": "Two"])
    await store.resume()
    while try await rows.next() != ["Two"] {}
    keeping.cancel()
    _ = await keeping.result
  }
}
