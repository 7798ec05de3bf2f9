internal import class Foundation.ProcessInfo

/// Where a server listens and what it allows.
package struct HTTPServerConfiguration: Sendable {
  /// An IPv4 or IPv6 literal; `::` takes IPv4 as well.
  package var host = "127.0.0.1"
  /// The port; 0 takes any that is free.
  package var port: UInt16 = 0
  /// Threads that answer.
  package var threads = ProcessInfo.processInfo.activeProcessorCount
  /// Open connections at most, shared out evenly over the threads.
  ///
  /// Each may need a second descriptor for a file. Where the system does not allow as many, there are fewer
  /// connections; see ``HTTPServer/connectionLimit``.
  package var connectionLimit = 4000
  /// Open connections at most from one IPv4 address or one IPv6 network of 64 bits; nil for a quarter of
  /// ``connectionLimit``, so that three of them cannot keep everyone else out.
  package var perAddressLimit: Int?
  /// The proxies in front: they may have any number of connections, and are believed in `X-Forwarded-For`.
  package var trustedProxies: [IPNetwork] = []
  /// Requests on one connection, after which it ends: its memory then starts afresh.
  package var requestsPerConnection = 10_000
  /// Memory of one connection in bytes: what a request's head must fit into, halved.
  package var connectionMemoryBytes = 16 * 1024
  /// Seconds without a request after which a connection is closed.
  package var idleTimeoutSeconds = 30
  /// Seconds from a connection's start to the end of its first request's head.
  package var headTimeoutSeconds = 5
  /// Bytes a second that a client has to take of an answer, measured over ``floorWindowSeconds``.
  package var floorBytesPerSecond = 512
  /// Seconds over which a client's pace is measured.
  package var floorWindowSeconds = 20
  /// Gives what the server answers itself, refusals mostly, the fields that all answers of its owner have.
  package var dress: @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse = { response, _ in response }
  /// Takes what libmicrohttpd has to say, one line at a time, on its threads. The other side can provoke any
  /// number of such lines, so nothing is written unless someone asks for it.
  package var log: @Sendable (String) -> Void = { _ in }
  /// Is told of every exchange when it is over, on the daemon's threads. It costs little.
  package var measure: (@Sendable (HTTPMeasurement) -> Void)?
  /// Gives the bytes of a `User-Agent` a number that stands in the measurement.
  package var labelAgent: (@Sendable (UnsafeBufferPointer<UInt8>) -> Int)?
  /// Is told of every exchange when it is over, with all that was asked. It costs a copy of every request.
  package var observe: (@Sendable (HTTPExchange) -> Void)?

  /// The defaults: 127.0.0.1, any port.
  package init() {}

  /// The defaults at that host and port.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}
