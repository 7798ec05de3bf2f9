import Foundation
import SeedClient
import SeedFormat
import SeedSystem
import Support
import Testing

/// A screen that shows rows goes on showing them, and lets go of them with its store.
@Suite(.bounded) struct LiveQueryTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test func `a live query that meets damage goes on with the snapshot that takes its place`() async throws {
    var many: [String: String] = [:]
    for number in 0..<3000 { many["n\(number)"] = "Stop number \(number)" }
    try fixture.publishGeneration(many)
    var store = try fixture.store()
    #expect(try await store.stops().count == 3000)
    // Another store, for this one may remember the page. The lock is free at once, whoever still holds this one.
    await store.suspend()
    store = try fixture.store()
    // One page of many: what a start looks at stays whole.
    try fixture.damage { bytes in
      let place = bytes.range(of: Data("Stop number 1500".utf8))?.lowerBound ?? 0
      for index in 0..<8 { bytes[place / 4096 * 4096 + index] = 0xA5 }
    }
    let rows = store.rows("SELECT name FROM stop")
    let count = Task { () -> Int? in
      for try await rows in rows { return rows.count }
      return nil
    }
    try await store.prepare()
    var isReplaced = false
    for _ in 0..<1000 where !isReplaced { isReplaced = try await store.update().action == .replaced }
    #expect(try await count.value == 3000)
    #expect(isReplaced)
  }

  @Test func `a live query ends with its store`() async throws {
    try fixture.publishGeneration(["a": "One"])
    var rows = try await begun().makeAsyncIterator()
    while try await rows.next() != nil {}
  }

  /// The rows of a store that is gone.
  private func begun() async throws -> AsyncThrowingStream<[SeedRow], any Error> {
    let store = try fixture.store()
    let rows = store.rows("SELECT name FROM stop")
    try await store.prepare()
    return rows
  }
}

/// Which changes a live query hears of.
@Suite(.bounded) struct LiveQueryChangeTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publishSnapshot()
  }

  /// What a query yields: counts of elements, and the latest.
  private func collected<Row: Sendable>(_ rows: AsyncThrowingStream<[Row], any Error>) -> Collected<Row> {
    let collected = Collected<Row>()
    Task {
      for try await rows in rows { collected.add(rows) }
    }
    return collected
  }

  private final class Collected<Row: Sendable>: Sendable {
    private let elements = Mutex<[[Row]]>([])
    var all: [[Row]] { elements.withLock(\.self) }
    func add(_ rows: [Row]) { elements.withLock { $0.append(rows) } }
  }

  @Test func `a query is run again for changes of what it reads, once for an update`() async throws {
    let store = try fixture.store()
    let stops = collected(store.rows("SELECT name FROM stop ORDER BY id", as: String.self))
    let none = collected(store.rows("SELECT 1", as: Int.self))
    let meta = collected(store.rows("SELECT value FROM Seedbank_Meta WHERE key = 'version'", as: String.self))
    let other = collected(store.rows("SELECT count(*) FROM STOP", as: Int.self))
    let pragma = collected(store.rows("SELECT count(*) FROM pragma_page_count", as: Int.self))
    try await store.update()
    for name in ["Two", "Three", "Four"] { try fixture.publisher.publish(["a": name]) }
    try await until { stops.all.count == 1 && none.all.count == 1 && meta.all.count == 1 }
    try await store.update()
    try await until { stops.all.last == ["Four"] && meta.all.count == 2 }
    #expect(stops.all == [["One"], ["Four"]])
    #expect(none.all == [[1]])
    try await until { other.all.count == 2 && pragma.all.count == 2 }
  }

  @Test func `rows that are equal to those before are left out where that is wanted`() async throws {
    let store = try fixture.store()
    let counts = collected(store.distinctRows("SELECT count(*) FROM stop", as: Int.self))
    let names = collected(store.rows("SELECT name FROM stop", as: String.self))
    try await store.update()
    try await until { names.all.count == 1 && counts.all.count == 1 }
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    try await until { names.all.count == 2 }
    try fixture.publisher.publish(["a": "Two", "b": "More"])
    try await store.update()
    try await until { counts.all.count == 2 }
    #expect(counts.all == [[1], [2]])
  }
}

/// Looks until `condition` holds, and fails after a minute.
private func until(_ condition: () -> Bool) async throws {
  for _ in 0..<6000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("it never came about")
}
