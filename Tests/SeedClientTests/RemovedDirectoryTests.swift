import Foundation
import SeedClient
import SeedFormat
import Support
import Testing

/// A store whose directory is removed starts over, and never writes next to another store.
@Suite struct RemovedDirectoryTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  private func remove() throws { try FileManager.default.removeItem(atPath: fixture.directory) }

  @Test func `the next update recreates a removed or moved directory`() async throws {
    let store = try fixture.store()
    try await store.update()
    try remove()
    try fixture.publishGeneration(["a": "Two"])
    var (updating, finished): ([Bool], UpdateReport?) = ([], nil)
    for try await phase in store.updatePhases() {
      if case .finished(let report) = phase {
        finished = report
      } else {
        updating.append(await store.state.isUpdating)
      }
    }
    #expect(updating.count > 2 && updating.dropFirst().allSatisfy(\.self), "it is one update")
    let report = try #require(finished)
    #expect(report.action == .replaced && report.from == nil)
    #expect(try await store.stops() == ["Two"])
    #expect(try stops(inFile: report.seed.url) == ["Two"])
    try fixture.publisher.publish(["a": "Three"])
    #expect(try await store.update().action == .applied)
    try FileManager.default.moveItem(atPath: fixture.directory, toPath: fixture.folder("elsewhere"))
    #expect(try await store.update().action == .replaced)
    #expect(try fixture.names("generations").count == 1)
    // A new store reads the same from disk.
    await store.suspend()
    #expect(try await fixture.store().stops() == ["Three"])
  }

  @Test func `the next read recreates a removed directory`() async throws {
    let store = try fixture.store()
    try await store.update()
    try remove()
    try fixture.publishGeneration(["a": "Two"])
    #expect(try await store.stops() == ["Two"])
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `a read-only store also starts over`() async throws {
    let writer = try fixture.store()
    try await writer.update()
    let reader = try fixture.store()
    #expect(try await reader.stops() == ["One"])
    await writer.suspend()
    try remove()
    try fixture.publishGeneration(["a": "Two"])
    #expect(try await reader.stops() == ["Two"])
    #expect(try await reader.update().action == .upToDate)
  }

  @Test func `the store that recreated a removed directory updates and the other one reads its data`()
    async throws
  {
    let first = try fixture.store()
    try await first.update()
    try remove()
    let second = try fixture.store()
    try await second.update()
    try fixture.publisher.publish(["a": "Two"])
    #expect(await code { try await first.update() } == .storeLocked)
    #expect(try await first.stops() == ["One"])
    #expect(try await second.update().action == .applied)
    #expect(try await first.stops() == ["Two"])
    #expect(await code { try await first.update() } == .storeLocked)
  }

  @Test func `an update never writes to a directory that replaced its own`() async throws {
    let first = try fixture.store()
    try await first.update()
    try fixture.publishGeneration(["a": "Two"])
    let gate = fixture.hold("snapshot-")
    let update = Task { await code { try await first.update() } }
    await gate.untilWaiting()
    fixture.publisher.withServed { $0.hold = nil }
    try remove()
    let second = try fixture.store()
    try await second.update()
    let generations = try fixture.names("generations")
    gate.open()
    #expect(await update.value == .io)
    #expect(try fixture.names("generations") == generations)
    #expect(await code { try await first.update() } == .storeLocked)
    #expect(try await second.update().action == .upToDate)
  }

  @Test func `data can be cleared by removing the directory of a suspended store`() async throws {
    let store = try fixture.store()
    try await store.update()
    await store.suspend()
    try remove()
    await store.resume()
    #expect(await store.state.version == nil)
    #expect(try await store.stops() == ["One"])
    #expect(try await store.update().action == .upToDate)
  }
}
