internal import Dispatch
import SeedSystem

package final class HTTPServer: Sendable {
  package let host: String
  /// The listening port; if 0 was configured, the one that the system chose.
  package let port: UInt16
  /// Maximum connections: as configured, or fewer if the limit on open files requires it.
  package let connectionLimit: Int
  private let dispatcher: RequestDispatcher
  private let daemon: Mutex<Daemon?>
  private let timers: [RepeatingTimer]
  private let running = DispatchGroup()

  /// Listens and starts responding. The handler is called on several threads at once and must not stop the server. It
  /// returns the response to a plain GET; the server applies conditions and ranges.
  package init(
    configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws(HTTPServerError) {
    // Writing to a connection closed by its peer would end the process; `sendfile` has no flag to prevent that.
    signal(SIGPIPE, SIG_IGN)
    var configuration = configuration
    guard let budget = DescriptorBudget.claim(connections: configuration.connectionLimit) else {
      throw .tooFewDescriptors(needed: DescriptorBudget.needed(for: configuration.connectionLimit))
    }
    configuration.connectionLimit = budget.connections
    let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
    let dispatcher = RequestDispatcher(configuration, handler: handler)
    guard let started = Daemon(configuration, on: socket, dispatcher: dispatcher) else {
      throw .cannotListen(
        host: configuration.host, port: socket.port, reason: "no threads, memory or descriptors left")
    }
    (host, port, connectionLimit) = (configuration.host, socket.port, budget.connections)
    self.dispatcher = dispatcher
    let connections = dispatcher.connections
    timers = [
      RepeatingTimer(milliseconds: Self.reapingMilliseconds) {
        connections.reap(at: monotonicMilliseconds())
      },
      RepeatingTimer(milliseconds: ConnectionTable.roomMilliseconds) { connections.makeRoom() },
      RepeatingTimer(milliseconds: ConnectionTable.memoryMilliseconds) { connections.returnMemory() },
    ]
    daemon = Mutex(started)
    running.enter()
  }

  private static let reapingMilliseconds = 500

  // These closures do not retain the server, so a handler may keep them. If a handler's thread released the last
  // reference to the server, the thread would wait for its own end.

  package var load: @Sendable () -> HTTPLoad {
    { [connections = dispatcher.connections] in connections.load }
  }

  package var forgetResponses: @Sendable () -> Void { { [answers = dispatcher.answers] in answers.forget() } }

  deinit { stop(gracePeriod: .zero) }

  /// Ends each connection with its next response. Accepts new ones: clients need time to switch to another server.
  package func drain() { dispatcher.connections.beginDraining() }

  /// Refuses new connections. Waits for requests in progress, and briefly for requests that are arriving, but at most
  /// for the grace period. Then closes all connections and blocks until all threads have ended, which takes longer if
  /// a handler is running. A second call waits too. Returns the number of requests cut off.
  @discardableResult
  package func stop(gracePeriod: Duration = .seconds(5)) -> Int {
    guard dispatcher.connections.beginEnding() else {
      running.wait()
      return 0
    }
    dispatcher.connections.waitUntilQuiet(milliseconds: UInt64(max(0, gracePeriod / .milliseconds(1))))
    let cut = dispatcher.connections.load.answering
    daemon.withLock { $0 = nil }
    running.leave()
    return cut
  }
}

/// The file descriptors that a server needs. Without them, accepting connections or opening files would fail, so the
/// soft limit is raised; if the hard limit is too low, fewer connections are accepted.
struct DescriptorBudget: Hashable, Sendable {
  let connections: Int
  var descriptors: Int { Self.needed(for: connections) }

  /// A socket, and a file that is being sent.
  static let perConnection = 2
  /// For the rest of the process: libraries, logs, databases, the publisher's files.
  static let others = 256
  /// Independent of connections: each cached response may hold a file.
  static let fixed = ResponseCache.limit + others

  init?(connections wanted: Int, hardLimit: Int) {
    let affordable = (hardLimit - Self.fixed) / Self.perConnection
    guard affordable > 0 else { return nil }
    connections = min(max(1, wanted), affordable)
  }

  static func needed(for connections: Int) -> Int { fixed + connections * perConnection }

  /// Raises the process's soft limit if needed; never lowers it.
  static func claim(connections: Int) -> DescriptorBudget? {
    var limit = rlimit()
    guard getrlimit(descriptorsResource, &limit) == 0,
      let budget = DescriptorBudget(
        connections: connections, hardLimit: Int(clamping: min(limit.rlim_max, mostDescriptors)))
    else { return nil }
    guard limit.rlim_cur < rlim_t(budget.descriptors) else { return budget }
    limit.rlim_cur = rlim_t(budget.descriptors)
    return setrlimit(descriptorsResource, &limit) == 0 ? budget : nil
  }

  private static let descriptorsResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  /// An unlimited hard limit reads as the largest integer.
  private static let mostDescriptors: rlim_t = 1 << 30
}

package final class RepeatingTimer: Sendable {
  // Cancelling is thread-safe, but the type does not declare it.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  package init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "seedbank.timer"))
    timer.schedule(deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
