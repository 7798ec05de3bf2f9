import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct StateTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  @Test func `a restarted store reports its data with check and change times before it opens or fetches it`()
    async throws
  {
    let time = fixture.publisher.now
    fixture.publisher.lifecycle = .deprecated(sunset: "2027-01-01", message: "Please update.")
    try fixture.publisher.sign()
    #expect(try await fixture.store().update().lifecycle == fixture.publisher.lifecycle)
    fixture.publisher.withServed { $0.failure = .offline }
    let store = try fixture.store()
    let state = await store.state
    let date = Date(timeIntervalSince1970: Double(time.secondsSinceEpoch))
    #expect(state.lastChecked == date && state.lastUpdated == date && state.publishedAt == date)
    #expect(state.version == .first && state.newestVersion == .first && state.origin == .downloaded)
    #expect(state.attribution == "Stadtwerke" && state.license == "CC0-1.0")
    #expect(state.lifecycle == fixture.publisher.lifecycle)
    try await store.prepare()
    #expect(await store.state == state)
  }

  @Test func `license and attribution are those of the newest signed metadata, even without new data`()
    async throws
  {
    let store = try fixture.store()
    try await store.update()
    let reader = try SeedStore(
      store.model, reading: fixture.directory, environment: fixture.environment)
    try await reader.prepare()
    fixture.publisher.provenance = Provenance(attribution: "Stadtwerke Neu", source: "https://example.org")
    try fixture.publisher.sign()
    #expect(try await store.update().action == .upToDate)
    try await reader.prepare()
    await store.close()
    for store in try [store, reader, fixture.store()] {
      let state = await store.state
      #expect(state.license == nil && state.attribution == "Stadtwerke Neu")
      #expect(state.source == "https://example.org" && state.version == .first)
    }
  }

  @Test func `a store that does not update reports the license of another store's update`() async throws {
    let updating = try fixture.store()
    try await updating.update()
    let waiting = try fixture.store()
    try await waiting.prepare()
    #expect(await waiting.state.license == "CC0-1.0")
    fixture.publisher.provenance = Provenance(license: "ODbL-1.0")
    try fixture.publishGeneration(["a": "Two"])
    try await updating.update()
    try await waiting.prepare()
    let state = await waiting.state
    #expect(state.license == "ODbL-1.0" && state.attribution == nil && state.version?.number == 2)
  }

  @Test func `data is stale after three missed checks and an hour, with or without a restart`() async throws {
    fixture.publisher.pollSeconds = 600
    try fixture.publisher.sign()
    let store = try fixture.store()
    #expect(await !store.state.isStale, "there is no data")
    try await store.update()
    await store.suspend()
    for (seconds, isStale) in [(3 * 600 + 3600, false), (1, true)] {
      fixture.publisher.pass(seconds: seconds)
      #expect(await store.state.isStale == isStale)
      let restarted = try fixture.store()
      #expect(await restarted.state.isStale == isStale)
      try await restarted.prepare()
      #expect(await restarted.state.isStale == isStale)
    }
    await store.resume()
    try await store.update()
    #expect(await !store.state.isStale)
  }

  @Test func `a check without changes is saved at most once an hour`() async throws {
    let store = try fixture.store()
    try await store.update()
    let file = "\(fixture.directory)/STATE"
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let number = try inode(file)
    try await store.update()
    #expect(try inode(file) == number)
    fixture.publisher.pass(days: 1)
    try fixture.publisher.sign()
    try await store.update()
    #expect(try inode(file) != number)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) != before)
    let state = await store.state
    #expect(!state.isStale && state.lastChecked != state.lastUpdated)
  }

  @Test
  func
    `a very long lifecycle message does not break the saved state, and an unreadable state counts as missing`()
    async throws
  {
    fixture.publisher.lifecycle = .retired(message: String(repeating: "x", count: 100_000))
    try fixture.publisher.sign()
    _ = try await fixture.store().update()
    let store = try fixture.store()
    try await store.prepare()
    #expect(await store.state.lastChecked != nil)
    #expect(await store.state.lifecycle == nil)
    await store.close()
    try Data("{".utf8).write(to: URL(fileURLWithPath: "\(fixture.directory)/STATE"))
    let restarted = try fixture.store()
    try await restarted.prepare()
    #expect(await restarted.state.lastChecked == nil)
    try await restarted.update()
    #expect(await restarted.state.lastChecked != nil)
  }

  @Test func `a very long license does not remove the lifecycle from the saved state`() async throws {
    fixture.publisher.provenance = Provenance(license: String(repeating: "x", count: 100_000))
    fixture.publisher.lifecycle = .retired(message: "Moved")
    try fixture.publisher.sign()
    _ = try await fixture.store().update()
    let store = try fixture.store()
    try await store.prepare()
    #expect(await store.state.lastChecked != nil)
    #expect(await store.state.lifecycle == .retired(message: "Moved"))
  }

  private func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  @Test func `the newest known version of a read-only store is never older than its data`() async throws {
    let writer = try fixture.store()
    try await writer.update()
    let reader = try fixture.store()
    try await reader.prepare()
    for number in 2...4 {
      try fixture.publisher.publish(["a": "Name \(number)"])
      try await writer.update()
    }
    try await reader.prepare()
    let state = await reader.state
    #expect(state.version?.number == 4 && state.newestVersion == state.version)
  }

  // MARK: Keys

  private func change(limit: Int?, _ upserts: [String: String], deleting: [String] = []) async throws
    -> SeedChanges.Table
  {
    let store = try fixture.store(options: SeedOptions(reportedKeysPerTable: limit))
    try await store.prepare()
    var changes = store.changes.makeAsyncIterator()
    try fixture.publisher.publish(upserts, deleting: deleting)
    try await store.update()
    let change = try #require(await changes.next()?.tables["stop"])
    await store.close()
    return change
  }

  @Test func `changes include keys up to the requested limit, and else only counts`() async throws {
    try fixture.publisher.publish(["b": "Bellevue", "c": "Charité"])
    let change = try await change(limit: 3, ["a": "Uno", "d": "Dom"], deleting: ["b"])
    #expect(change.keys?.inserted == [[.text("d")]])
    #expect(change.keys?.updated == [[.text("a")]])
    #expect(change.keys?.deleted == [[.text("b")]])
    for (limit, ids) in [(nil, ["n"]), (2, ["x", "y", "z"])] {
      let change = try await self.change(
        limit: limit, Dictionary(uniqueKeysWithValues: ids.map { ($0, "New") }))
      #expect(change.keys == nil && change.inserted == ids.count)
    }
  }
}

@Suite struct FollowedStateTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  @Test func `states begin with the current one, even after a restart, and report each change`() async throws
  {
    let store = try fixture.store()
    let (states, phases) = (Collected(store.states), Collected(store.phases))
    try await until { states.all.count == 1 }
    #expect(states.all.first?.version == nil && states.all.first?.isUpdating == false)
    let gate = fixture.hold("snapshot-")
    let update = Task { try await store.update() }
    await gate.untilWaiting()
    try await until { states.all.last?.isUpdating == true }
    gate.open()
    _ = try await update.value
    try await until { states.all.last?.isUpdating == false && states.all.last?.version?.number == 1 }
    try await until { phases.all.contains { if case .finished = $0 { true } else { false } } }
    #expect(zip(states.all, states.all.dropFirst()).allSatisfy { $0 != $1 })
    await store.close()
    let restarted = try fixture.store()
    #expect(await restarted.states.first { _ in true }?.version == .first)
  }

  @Test func `a file left by a crash that cannot be removed is logged, and the update goes on`() async throws
  {
    _ = try await fixture.store().update()
    try Folder.create("\(fixture.directory)/trust/left.tmp/inside")
    let messages = Mutex<[String]>([])
    let store = try fixture.store(
      options: SeedOptions(log: { entry in messages.withLock { $0.append(entry.message) } }))
    try await store.update()
    let found = messages.withLock(\.self).filter { $0.hasPrefix("cannot remove ") }
    #expect(found.count == 1 && found[0].contains("/trust/left.tmp: "), "\(found)")
  }

  @Test func `the log contains reads, updates and failures`() async throws {
    let entries = Mutex<[SeedLogEntry]>([])
    var options = SeedOptions()
    options.log = { entry in entries.withLock { $0.append(entry) } }
    let store = try fixture.store(options: options)
    try await store.update()
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    fixture.publisher.withServed { $0.failure = .offline }
    _ = await code { try await store.update() }
    let texts = entries.withLock(\.self).map { "\($0.level.rawValue) \($0)" }
    #expect(texts.count == 4, "\(texts)")
    #expect(texts[0].hasPrefix("info transit/2: opened version 1 (downloaded) in "))
    #expect(texts[1].hasPrefix("info transit/2: version 1 arrived as snapshot-1.sqlite.gz (firstDownload): "))
    #expect(texts[2].hasPrefix("info transit/2: version 2 arrived as delta-1-2.json.gz (deltasAreSmaller): "))
    #expect(texts[3].hasPrefix("error transit/2: the update failed: "))
  }
}
