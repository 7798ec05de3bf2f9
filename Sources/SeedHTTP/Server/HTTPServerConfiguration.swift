internal import class Foundation.ProcessInfo

/// Where a server listens, and its limits.
package struct HTTPServerConfiguration: Sendable {
  /// An IPv4 or IPv6 literal; `::` takes IPv4 as well.
  package var host: String
  /// The port; 0 takes any that is free.
  package var port: UInt16
  /// Threads that answer.
  package var threads = ProcessInfo.processInfo.activeProcessorCount
  /// Open connections at most, shared out evenly over the threads. Each may need a second descriptor for a file. Where
  /// the system does not allow as many, there are fewer connections; see ``HTTPServer/connectionLimit``.
  package var connectionLimit = 4000
  /// Open connections at most from one IPv4 address or one IPv6 network of 64 bits; nil for a quarter of
  /// ``connectionLimit``, so that three of them cannot keep everyone else out.
  package var perAddressLimit: Int?
  /// Proxies in front: they may have any number of connections, and their `X-Forwarded-For` is believed.
  package var trustedProxies: [IPNetwork] = []
  /// Requests on one connection, after which it ends: its memory then starts afresh.
  package var requestsPerConnection = 10_000
  /// Memory of one connection in bytes; half of it is the largest head of a request. libmicrohttpd refuses what does not
  /// fit into all of it, with a page of its own. A connection that rests keeps it: thousands do.
  package var connectionMemoryBytes = 20 * 1024
  package var timeouts = ConnectionTimeouts()
  /// Adds the fields that all of its owner's responses have, also to those that the server makes by itself.
  package var finish: @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse = { response, _ in response }
  /// Takes libmicrohttpd's log, on its threads. Clients can provoke any number of lines: nothing is written unasked.
  package var log: @Sendable (String) -> Void = { _ in }
  /// Called after every exchange, on the daemon's threads. It costs little. A head that never came whole is none.
  package var measure: (@Sendable (HTTPMeasurement) -> Void)?
  /// Gives the bytes of a `User-Agent` a number for the measurement.
  package var labelAgent: (@Sendable (UnsafeBufferPointer<UInt8>) -> Int)?
  /// Called after every exchange with all of its request. It costs a copy of every request.
  package var observe: (@Sendable (HTTPExchange) -> Void)?

  /// Bytes of a request's head at most.
  var headLimit: Int { connectionMemoryBytes / 2 }

  /// The defaults at that host and port.
  package init(host: String = "127.0.0.1", port: UInt16 = 0) {
    self.host = host
    self.port = port
  }
}

/// The reason why a server does not start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another socket listens there.
  case portInUse(host: String, port: UInt16)
  /// The system or the library refuses.
  case cannotListen(host: String, port: UInt16, reason: String)
  /// The system allows the process too few open files for even one connection; all would need that many.
  case tooFewDescriptors(needed: Int)

  /// One sentence: where, why, what to do.
  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) on \(host) is in use: stop the program that listens there, or choose another port"
    case .cannotListen(let host, let port, let reason): "cannot listen on \(host) port \(port): \(reason)"
    case .tooFewDescriptors(let needed):
      "the process may not open enough files: raise its hard limit (ulimit -Hn, LimitNOFILE=) to \(needed)"
    }
  }
}
