import SeedFormat
import Support
import Testing

@testable import SeedClient

/// An app in the background is given some seconds, and then its tasks are cancelled.
@Suite struct CancellationTests {
  @Test func `what has arrived stays where its use is cancelled, and is not asked for again`() async throws {
    let fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publisher.startEpoch()
    let snapshot = try fixture.lastSnapshot
    let use = Task {
      let fetched = try await store.fetcher.object(snapshot)
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.writer.stage(fetched, epoch: .random())
    }
    await #expect(throws: CancellationError.self) { try await use.value }
    #expect(try fixture.names("partial").count == 2)
    fixture.publisher.withServed { $0.requests = [] }
    let report = try await store.update()
    #expect(report.action == .replaced)
    #expect(fixture.publisher.withServed { !$0.requests.contains(snapshot.filePath) })
    #expect(try fixture.names("partial").isEmpty)
  }
}
