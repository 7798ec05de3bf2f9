internal import Dispatch
import SeedSystem

/// Answers every admitted request with its handler's response.
package final class HTTPServer: Sendable {
  /// The address that it listens on.
  package let host: String
  /// The port that it listens on; where 0 was configured, the one that the system chose.
  package let port: UInt16
  /// Open connections at most: as configured, or fewer where the system's limit on open files requires it.
  package let connectionLimit: Int
  private let dispatcher: RequestDispatcher
  private let daemon: Mutex<Daemon?>
  private let timers: [RepeatingTimer]
  private let running = DispatchGroup()

  /// Listens, and answers from here on. The handler is called on several threads at once, and must not stop the
  /// server. It makes the response to a plain GET; conditions and ranges are the server's.
  package init(
    configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws(HTTPServerError) {
    // A write to a connection that the other side closed would end the process; `sendfile` has no flag against that.
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
      RepeatingTimer(milliseconds: Self.roomMilliseconds) { connections.makeRoom() },
    ]
    daemon = Mutex(started)
    running.enter()
  }

  private static let reapingMilliseconds = 500
  /// A look costs less than a microsecond while there is room.
  private static let roomMilliseconds = 50

  // These are functions of their own, so that a handler can keep one without keeping the server: if the last
  // reference to the server went away on one of its threads, it would wait there for that very thread.

  /// Tells the current load.
  package var load: @Sendable () -> HTTPLoad {
    { [connections = dispatcher.connections] in connections.load }
  }

  /// Forgets all responses that are kept for reuse.
  package var forgetAnswers: @Sendable () -> Void { { [answers = dispatcher.answers] in answers.forget() } }

  /// Forgets the kept responses whose files were replaced or written to.
  package var forgetReplacedFiles: @Sendable () -> Void {
    { [answers = dispatcher.answers] in answers.forgetReplacedFiles() }
  }

  deinit { stop(gracePeriod: .zero) }

  /// Ends each connection with its next response; new ones are accepted until clients are directed elsewhere.
  package func drain() { dispatcher.connections.beginDraining() }

  /// Refuses new connections, waits until the admitted requests are answered, and a moment for those on their way, or
  /// for the period; then cuts the remaining connections off. Blocks until all threads have ended, which a handler can
  /// delay beyond the period; a second call waits too.
  package func stop(gracePeriod: Duration = .seconds(5)) {
    guard dispatcher.connections.beginEnding() else { return running.wait() }
    dispatcher.connections.waitUntilQuiet(milliseconds: UInt64(max(0, gracePeriod / .milliseconds(1))))
    daemon.withLock { $0 = nil }
    running.leave()
  }
}

/// The descriptors that a server needs. Without enough of them accepting a connection fails, or opening a file for
/// it: so the soft limit is raised, and under a lower hard limit fewer connections are accepted than configured.
struct DescriptorBudget: Hashable, Sendable {
  let connections: Int
  let descriptors: Int

  /// Each connection needs a socket, and a file that is being sent on it.
  static let perConnection = 2
  /// For everything else in the process: libraries, logs, databases, the publisher's files.
  static let others = 256
  /// Independent of the connections: each response that is kept may hold a file.
  static let fixed = AnswerCache.limit + others

  init?(connections wanted: Int, hardLimit: Int) {
    let affordable = (hardLimit - Self.fixed) / Self.perConnection
    guard affordable > 0 else { return nil }
    connections = min(max(1, wanted), affordable)
    descriptors = Self.needed(for: connections)
  }

  static func needed(for connections: Int) -> Int { fixed + connections * perConnection }

  /// Raises the process's soft limit where needed; it never lowers it.
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
  /// A hard limit without a bound reads as the largest number there is.
  private static let mostDescriptors: rlim_t = 1 << 30
}
