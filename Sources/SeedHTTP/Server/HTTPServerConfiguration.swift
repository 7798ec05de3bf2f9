internal import class Foundation.ProcessInfo

package struct HTTPServerConfiguration: Sendable {
  /// An IPv4 or IPv6 literal; `::` also accepts IPv4.
  package var host: String
  package var port: UInt16
  package var threads = ProcessInfo.processInfo.activeProcessorCount
  /// Maximum open connections, distributed evenly over the threads. Each may need a second descriptor for a file. If
  /// the system does not allow that many, the limit is lower; see ``HTTPServer/connectionLimit``.
  package var connectionLimit = 4000
  /// Maximum connections from one IPv4 address or one IPv6 /64 network; nil for a quarter of ``connectionLimit``, so
  /// that three addresses cannot block all others.
  package var perAddressLimit: Int?
  /// Proxies with unlimited connections and a trusted `X-Forwarded-For`.
  package var trustedProxies: [IPNetwork] = []
  package var timeouts = ConnectionTimeouts()
  /// Adds header fields to every response, including responses made by the server.
  package var finish: @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse = { response, _ in response }
  /// Called after every exchange with a complete head, on the daemon's threads, so it must be fast.
  package var measure: (@Sendable (HTTPMeasurement) -> Void)?
  /// Maps a `User-Agent` to the label in the measurement.
  package var labelAgent: @Sendable (UnsafeBufferPointer<UInt8>) -> (any Sendable)? = { _ in nil }
  /// Called after every exchange with a copy of the whole request, which is unchecked if it was refused.
  package var observe: (@Sendable (HTTPRequest, HTTPMeasurement) -> Void)?

  package init(host: String = "127.0.0.1", port: UInt16 = 0) {
    self.host = host
    self.port = port
  }
}

package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case portInUse(host: String, port: UInt16)
  case cannotListen(host: String, port: UInt16, reason: String)
  /// The limit on open files is too low for even one connection; the configured connections need `needed`.
  case tooFewDescriptors(needed: Int)

  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) on \(host) is in use: stop the program that listens there, or choose another port"
    case .cannotListen(let host, let port, let reason): "cannot listen on \(host) port \(port): \(reason)"
    case .tooFewDescriptors(let needed):
      "the process is not allowed to open enough files: raise its hard limit (ulimit -Hn, LimitNOFILE=) to \(needed)"
    }
  }
}
