import Foundation
import SeedDatabase
import SeedFormat
import SeedFront
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Clients update continuously while a publisher publishes continuously.
@Suite struct FollowingTests {
  private static let clients = 4
  private static let steps = Stage.isDeep ? 200 : 30
  /// Steps after which the publisher waits for all clients, so that objects outlive the client that needs them.
  private static let roundSteps = 5

  @Test(.full) func `clients see no error and no mixed publication while objects are pruned`() async throws {
    let seed = Stage.seed
    let served = try ServedDeployment(seed: seed)
    served.deployment.job.graceSeconds = 60
    try await follow(served, port: served.front.port, seed)
  }

  @Test(.full) func `clients behind nginx with a cache see no error and no mixed publication`() async throws {
    let seed = Stage.seed
    let served = try ServedDeployment(seed: seed)
    let proxy = try NginxProxy(before: served.front.port)
    try await follow(served, port: proxy.plainPort, seed)
  }

  private func follow(_ served: ServedDeployment, port: UInt16, _ seed: UInt64) async throws {
    let rounds = Rounds(clients: Self.clients)
    let clients = try (0..<Self.clients).map { _ in try FollowingClient(port: port, root: served.root) }
    // Each client is used by one thread only.
    for (number, client) in clients.enumerated() {
      nonisolated(unsafe) let client = client
      detached { await rounds.run(number, client) }
    }
    for step in 1...Self.steps {
      try served.publish(snapshot: step % 7 == 0)
      if step % Self.roundSteps == 0 { try rounds.waitForAll() }
    }
    try rounds.end(at: served.deployment.metadata().state.head.number)
    #expect(rounds.errors.isEmpty, "seed \(seed): \(rounds.errors.prefix(3))")
    let expected = try clients[0].rows()
    #expect(expected != nil)
    for client in clients { #expect(try client.rows() == expected, "seed \(seed)") }
  }
}

/// Counts the updates of clients that run on their own threads, and ends them.
private final class Rounds: Sendable {
  private struct State {
    var looks: [Int]
    var errors: [String] = []
    var target: Int?
    var running: Int
  }

  private let state: Mutex<State>

  init(clients: Int) {
    state = Mutex(State(looks: [Int](repeating: 0, count: clients), running: clients))
  }

  var errors: [String] { state.withLock { $0.errors } }

  /// Updates until an error occurs or the target head is reached.
  func run(_ number: Int, _ client: FollowingClient) async {
    var isDone = false
    while !isDone {
      do {
        let head = try await client.look(now: .now())
        let target = state.withLock { state in
          state.looks[number] += 1
          return state.target
        }
        isDone = target.map { head >= $0 } ?? false
      } catch {
        state.withLock { $0.errors.append("client \(number): \(error)") }
        isDone = true
      }
    }
    state.withLock { $0.running -= 1 }
  }

  /// Waits until every client has completed a whole update that began after this call, or one has failed.
  func waitForAll() throws {
    let before = state.withLock { $0.looks }
    try waitUntil("each client has looked twice") {
      state.withLock { state in
        !state.errors.isEmpty || zip(state.looks, before).allSatisfy { $0 >= $1 + 2 }
      }
    }
  }

  /// Waits until all clients have reached this head, or one has failed.
  func end(at head: Int) throws {
    state.withLock { $0.target = head }
    try waitUntil("all clients are at the head") {
      state.withLock { $0.running == 0 || !$0.errors.isEmpty }
    }
  }
}

/// Runs blocking asynchronous work on its own thread, because the pool's threads must not block.
private func detached(_ body: @escaping @Sendable () async -> Void) {
  let queue = QueueOfOne()
  Task.detached(executorPreference: queue) { await body() }
}

private final class QueueOfOne: TaskExecutor {
  private let queue = DispatchQueue(label: "seedbank.test.client")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
