import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// A busy server that sends Retry-After.
private struct BusyServer: Transport {
  let retryAfter: Int

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try receiver.head(ResponseHead(status: 503, fields: ["Retry-After": "\(retryAfter)"]))
  }
}

/// An update's waits for a busy server are short, because a user may be looking at it.
@Suite struct PatienceTests {
  private static let most = Duration.seconds(4)

  @Test(arguments: [(1, 2), (2, 2), (3, 0), (7, 0), (3600, 0)])
  func `an update waits twice for a short Retry-After and not for a long one`(
    _ asked: Int, _ times: Int
  ) async throws {
    let waits = Shared<[Duration]>([])
    let fixture = try StoreFixture()
    let store = try fixture.store { environment in
      environment.transport = BusyServer(retryAfter: asked)
      environment.chance = { 0 }
      environment.sleep = { duration in
        // The timeout of each request also sleeps.
        guard duration > .seconds(20) else { return waits.withLock { $0.append(duration) } }
        try await Task.sleep(for: duration)
      }
    }
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .serverBusy && error?.retryAfter == .seconds(asked))
    let waited = waits.withLock { $0 }
    #expect(waited == Array(repeating: .seconds(asked), count: times))
    #expect(waited.reduce(.zero, +) <= Self.most)
  }
}
