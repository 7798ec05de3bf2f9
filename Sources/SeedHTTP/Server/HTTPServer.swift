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
  private let reaper: Reaper
  private let running = DispatchGroup()

  /// Listens, and answers from here on.
  ///
  /// The handler is called on several threads at once, and must not stop the server. It makes the response to a plain
  /// GET; conditions and ranges are the server's.
  package init(
    configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws(HTTPServerError) {
    ignoreBrokenPipes()
    var configuration = configuration
    connectionLimit = try Self.claimDescriptors(configuration)
    configuration.connectionLimit = connectionLimit
    let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
    let dispatcher = RequestDispatcher(configuration, handler: handler)
    guard let started = Daemon(configuration, on: socket, dispatcher: dispatcher) else {
      throw .cannotListen(
        host: configuration.host, port: socket.port, reason: "no threads, memory or descriptors left")
    }
    host = configuration.host
    port = socket.port
    self.dispatcher = dispatcher
    reaper = Reaper(dispatcher.connections)
    daemon = Mutex(started)
    running.enter()
  }

  private static func claimDescriptors(
    _ configuration: HTTPServerConfiguration
  ) throws(HTTPServerError) -> Int {
    guard let budget = DescriptorBudget.claim(connections: configuration.connectionLimit) else {
      throw .tooFewDescriptors(needed: DescriptorBudget.needed(for: configuration.connectionLimit))
    }
    return budget.connections
  }

  // These are functions of their own, so that a handler can keep one without keeping the server: if the last
  // reference to the server went away on one of its threads, it would wait there for that very thread.

  /// Tells the current load.
  package var load: @Sendable () -> HTTPLoad {
    let connections = dispatcher.connections
    return { connections.load }
  }

  /// Forgets all responses that are kept for reuse.
  package var forgetAnswers: @Sendable () -> Void {
    let answers = dispatcher.answers
    return { answers.forget() }
  }

  /// Forgets the kept responses whose files were replaced or written to.
  package var forgetReplacedFiles: @Sendable () -> Void {
    let answers = dispatcher.answers
    return { answers.forgetReplacedFiles() }
  }

  deinit { stop(gracePeriod: .zero) }

  /// Ends each connection with its next response. New connections are still accepted, until whatever directs clients
  /// here has noticed that this server is about to end.
  package func drain() { dispatcher.connections.beginDraining() }

  /// Refuses new connections, waits until the admitted requests are answered or the period is over, then cuts the
  /// remaining connections off.
  ///
  /// It also waits a moment for connections that were accepted or answered a moment ago: a request may be on its way.
  ///
  /// It blocks its caller until all threads have ended, which a handler that does not return can delay beyond
  /// the period. A second call waits for the first and does nothing more.
  package func stop(gracePeriod: Duration = .seconds(5)) {
    guard dispatcher.connections.beginEnding() else { return running.wait() }
    dispatcher.connections.waitUntilQuiet(milliseconds: UInt64(max(0, gracePeriod / .milliseconds(1))))
    daemon.withLock { $0 = nil }
    running.leave()
  }
}

/// Turns a write to a connection that the other side closed into an error, where it would end the process.
///
/// `sendfile` has no flag for that. Every server's start calls it.
package func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
