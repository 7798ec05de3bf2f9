import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// A store that only reads, as an extension of the app does, hears of what the app's store does.
@Suite struct NoticeTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publishSnapshot()
  }

  private func reader() throws -> SeedStore {
    let model = SeedModel(
      dataset: "transit", model: ClientPublisherSimulator.model, schema: fixture.publisher.schema.hash)
    return try SeedStore(model, reading: URL(fileURLWithPath: fixture.directory))
  }

  @Test func `its live queries show the first data, deltas and new files, and run for nothing else`()
    async throws
  {
    let reader = try reader()
    let names = Collected(reader.rows("SELECT name FROM stop", as: String.self))
    let lines = Collected(reader.rows("SELECT count(*) FROM line", as: Int.self))
    let store = try fixture.store()
    try await store.update()
    try await until { names.all == [["One"]] && lines.all == [[0]] }
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    try await until { names.all.last == ["Two"] }
    #expect(lines.all.count == 1)
    try fixture.publishGeneration(["a": "Three"])
    try await store.update()
    try await until { names.all.last == ["Three"] }
    #expect(await reader.state.version?.number == 3)
    try await store.rollBack()
    try await until { names.all.last == ["Two"] }
  }

  @Test func `a store that gets no watch looks by itself until it gets one`() async throws {
    try await fixture.store().update()
    let refusals = Mutex(3)
    let reader = try fixture.store { environment in
      environment.watch = { folder, onChange in
        let isRefused = refusals.withLock { left in
          left -= 1
          return left >= 0
        }
        return isRefused ? nil : FolderWatch(folder, onChange: onChange)
      }
    }
    let names = Collected(reader.rows("SELECT name FROM stop", as: String.self))
    try await reader.prepare()
    try await until { refusals.withLock { $0 < 0 } }
    try fixture.publisher.publish(["a": "Two"])
    try await fixture.store().update()
    try await until { names.all.last == ["Two"] }
    await reader.close()
  }

  @Test func `it notices that the directory was removed and made anew`() async throws {
    let reader = try reader()
    let names = Collected(reader.rows("SELECT name FROM stop", as: String.self))
    do {
      let store = try fixture.store()
      try await store.update()
      try await until { names.all == [["One"]] }
      await store.close()
    }
    try FileManager.default.removeItem(atPath: fixture.directory)
    try fixture.publisher.publish(["a": "Anew"])
    try await fixture.store().update()
    try await until { names.all.last == ["Anew"] }
  }

  @Test func `it changes nothing, and keeps nobody from updating`() async throws {
    let reader = try reader()
    #expect(await code { try await reader.prepare() } == .noData)
    #expect(await code { _ = try await reader.stops() } == .noData)
    #expect(!FileManager.default.fileExists(atPath: fixture.directory))
    let store = try fixture.store()
    try await store.update()
    #expect(try await reader.stops() == ["One"])
    #expect(await code { try await reader.update() } == .readOnly)
    #expect(await code { _ = try await reader.updatePlan() } == .readOnly)
    #expect(await code { try await reader.rollBack() } == .readOnly)
    #expect(await code { try await reader.keepUpdated() } == .readOnly)
    try await reader.verify()
    await store.close()
    #expect(await code { try await reader.update() } == .readOnly)
    try fixture.publisher.publish(["a": "Two"])
    try await fixture.store().update()
    #expect(try await reader.stops() == ["Two"])
  }

  @Test func `a store that could not be opened at a resumption is shown as soon as it can be`() async throws {
    let store = try fixture.store()
    let names = Collected(store.rows("SELECT name FROM stop", as: String.self))
    try await store.update()
    try await until { names.all.count == 1 }
    await store.suspend()
    let current = "\(fixture.directory)/CURRENT"
    try FileManager.default.moveItem(atPath: current, toPath: current + ".away")
    try FileManager.default.createDirectory(atPath: current, withIntermediateDirectories: false)
    await store.resume()
    #expect(await store.state.lastError?.code == .io)
    try FileManager.default.removeItem(atPath: current)
    try FileManager.default.moveItem(atPath: current + ".away", toPath: current)
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    try await until { names.all.last == ["Two"] }
  }
}
