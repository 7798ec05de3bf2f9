internal import Dispatch
import SeedSystem

/// A server that answers every admitted request with its handler's response.
package final class HTTPServer: Sendable {
  /// The address that it listens on.
  package let host: String
  /// The port that it listens on: the one chosen, if 0 was asked for.
  package let port: UInt16
  /// Open connections at most: what was asked for, or what the system's limit on open files leaves of it.
  package let connectionLimit: Int
  private let dispatcher: RequestDispatcher
  private let daemon: Mutex<Daemon?>
  private let reaper: Reaper
  private let running = DispatchGroup()

  /// Listens, and answers from here on.
  ///
  /// The handler is called on several threads at once, and must not stop the server.
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

  /// What it has to do; a handler may keep that, which must not keep the server.
  package var load: HTTPLoad { HTTPLoad(table: dispatcher.connections) }

  /// Has the handler asked again for every answer that it allowed to be used again.
  ///
  /// A function of its own, so that whoever calls it on the server's threads need not hold the server.
  package var forgetAnswers: @Sendable () -> Void {
    let answers = dispatcher.answers
    return { answers.forget() }
  }

  /// Has the handler asked again for the answers of files that are no longer what they were.
  package var forgetReplacedFiles: @Sendable () -> Void {
    let answers = dispatcher.answers
    return { answers.forgetReplacedFiles() }
  }

  deinit { stop(gracePeriod: .zero) }

  /// Ends each connection with the answer that it gets next, so that its client comes back by a new one. New
  /// connections are still taken: whoever sends them is to notice first that this server is about to end.
  package func drain() { dispatcher.beginDraining() }

  /// Stops: turns new connections away, waits until the admitted requests are answered or the period is over,
  /// then cuts what is left.
  ///
  /// A connection that was taken or answered a moment ago is waited for a moment: its request may be under way.
  ///
  /// It blocks its caller until all threads have ended, which a handler that does not return can delay beyond
  /// the period. A second call waits for the first and does nothing more.
  package func stop(gracePeriod: Duration = .seconds(5)) {
    guard dispatcher.beginEnding() else { return running.wait() }
    dispatcher.waitUntilQuiet(milliseconds: UInt64(max(0, gracePeriod / .milliseconds(1))))
    daemon.withLock { $0 = nil }
    running.leave()
  }
}

/// Makes a write to a connection that the other side closed an error instead of the process's end.
///
/// `sendfile` knows no flag for that. To be called once at the start of a process; every server's start
/// calls it as well.
package func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
