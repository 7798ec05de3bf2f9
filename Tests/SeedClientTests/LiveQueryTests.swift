import Foundation
import SeedClient
import SeedFormat
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
