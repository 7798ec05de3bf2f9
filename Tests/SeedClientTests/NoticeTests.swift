import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// A read-only store, for example in an app extension, follows the app's store.
@Suite struct NoticeTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publishSnapshot()
  }

  private func reader() throws -> SeedStore {
    let model = SeedModel(
      dataset: "transit", version: ClientPublisherSimulator.model, schema: fixture.publisher.schema.hash)
    return try SeedStore(model, reading: URL(fileURLWithPath: fixture.directory))
  }

  @Test func `live queries of a read-only store follow first data, deltas and new files only`() async throws {
    let reader = try reader()
    let names = Collected(reader.observe("SELECT name FROM stop", as: String.self))
    let lines = Collected(reader.observe("SELECT count(*) FROM line", as: Int.self))
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

  @Test func `a store without file watching polls until watching works`() async throws {
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
    let names = Collected(reader.observe("SELECT name FROM stop", as: String.self))
    try await reader.prepare()
    try await until { refusals.withLock { $0 < 0 } }
    try fixture.publisher.publish(["a": "Two"])
    try await fixture.store().update()
    try await until { names.all.last == ["Two"] }
    await reader.close()
  }

  @Test func `a read-only store notices a removed and recreated directory`() async throws {
    let reader = try reader()
    let names = Collected(reader.observe("SELECT name FROM stop", as: String.self))
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

  @Test func `a read-only store changes nothing and never blocks an update`() async throws {
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

  @Test func `a store that could not be opened when it resumed opens as soon as possible`() async throws {
    let store = try fixture.store()
    let names = Collected(store.observe("SELECT name FROM stop", as: String.self))
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
