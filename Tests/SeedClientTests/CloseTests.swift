import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct CloseTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  @Test func `a closed store rejects all calls and another store can update at once`() async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    await store.close()
    #expect(await code { _ = try await store.stops() } == .closed)
    #expect(await code { try await store.prepare() } == .closed)
    #expect(await code { try await store.update() } == .closed)
    #expect(await code { try await store.verify() } == .closed)
    await store.resume()
    await store.suspend()
    await store.close()
    #expect(await code { try await store.update() } == .closed)
    try fixture.publisher.publish(["a": "Two"])
    try await fixture.store().update()
    #expect(try stops(inFile: seed.url) == ["Two"])
  }

  @Test func `all sequences of a closed store end and new ones are empty`() async throws {
    let store = try fixture.store()
    let rows = Collected(store.observe("SELECT name FROM stop", as: String.self))
    let (files, changes) = (Collected(store.files), Collected(store.changes))
    let (states, phases) = (Collected(store.states), Collected(store.phases))
    try await store.prepare()
    try await until { rows.all == [["One"]] && files.all.count == 1 }
    await store.close()
    try await until { rows.isOver && files.isOver && changes.isOver && states.isOver && phases.isOver }
    let later = Collected(store.observe("SELECT name FROM stop", as: String.self))
    try await until { later.isOver }
    #expect(later.all.isEmpty)
  }

  @Test(arguments: [false, true])
  func `keepUpdated ends when its store is closed even while suspended`(isSuspended: Bool) async throws {
    let store = try fixture.store { $0.sleep = { _ in try await Task.sleep(for: .seconds(3600)) } }
    let states = Collected(store.states)
    let keeping = Task { await code { try await store.keepUpdated() } }
    try await until { states.all.contains { $0.version != nil } }
    if isSuspended { await store.suspend() }
    await store.close()
    #expect(await keeping.value == .closed)
  }
}

@Suite struct BroadcastTests {
  @Test func `a slow listener keeps a limited backlog and gets the newest elements`() async {
    let sender = Broadcast<Int>(mostWaiting: 2)
    sender.send(0)
    var listener = sender.stream().makeAsyncIterator()
    for number in 1...5 { sender.send(number) }
    let heard = [await listener.next(), await listener.next()]
    #expect(heard == [4, 5])
  }
}
