import SeedSystem

#if canImport(Network)
import Dispatch
import Network
#endif

/// Hears that the network came back, while an app keeps its data updated.
final class NetworkReturns: Sendable {
  private let latest = Broadcast<Void>(mostWaiting: 1, replaysLatest: true)
  private let listener: Task<Void, Never>

  init(_ returns: AsyncStream<Void>) {
    listener = Task { [latest] in for await _ in returns { latest.send(()) } }
  }

  deinit { listener.cancel() }

  /// What came back until now does not end the next sleep.
  func forget() { latest.forgetLatest() }

  /// Sleeps, but only for `rest` where the network comes back, or came back since ``forget()``.
  func sleep(
    _ duration: Duration, afterReturn rest: Duration,
    _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { [latest] group in
      group.addTask { try await sleep(duration) }
      group.addTask {
        for await _ in latest.stream() { return try await sleep(rest) }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

extension SeedError {
  /// Whether another network may be all that it takes.
  var mayPassWithNetwork: Bool { [.network, .timedOut, .waitingForNetwork].contains(code) }
}

/// A look at the device's way to the network.
struct NetworkPath: Hashable, Sendable {
  var isUsable = true
  /// By their names, in the system's order.
  var interfaces: [String] = []
  var isExpensive = false
  var isConstrained = false
}

/// Decides which looks at the path say that the network came back. Pure.
struct NetworkLooks: Sendable {
  private var last: NetworkPath?

  /// True where a usable path is another than before. The first look tells nothing: it is how things were.
  mutating func isReturn(_ path: NetworkPath) -> Bool {
    defer { last = path }
    guard let last, path.isUsable else { return false }
    return path != last
  }

  #if canImport(Network)
  /// Yields whenever the system has a usable path that is another than before.
  static func returns() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = PathWatch { continuation.yield() }
      continuation.onTermination = { _ in watch.end() }
    }
  }
  #else
  /// Linux does not tell.
  static func returns() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  #endif
}

#if canImport(Network)
/// The system's monitor. It is set up before anybody else knows it, and then only cancelled, which any thread may.
private final class PathWatch: @unchecked Sendable {
  private let monitor = NWPathMonitor()

  init(_ hear: @escaping @Sendable () -> Void) {
    let looks = Mutex(NetworkLooks())
    monitor.pathUpdateHandler = { path in
      let isReturn = looks.withLock { $0.isReturn(NetworkPath(path)) }
      if isReturn { hear() }
    }
    monitor.start(queue: DispatchQueue(label: "seedbank.network"))
  }

  func end() { monitor.cancel() }
}

extension NetworkPath {
  fileprivate init(_ path: NWPath) {
    self.init(
      isUsable: path.status == .satisfied, interfaces: path.availableInterfaces.map(\.name),
      isExpensive: path.isExpensive, isConstrained: path.isConstrained)
  }
}
#endif
