/// Why a server does not start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another socket listens there.
  case portInUse(host: String, port: UInt16)
  /// The system or the library refuses, for that reason.
  case cannotListen(host: String, port: UInt16, reason: String)

  /// One sentence: where, why, what to do.
  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) on \(host) is in use: stop what listens there or choose another port"
    case .cannotListen(let host, let port, let reason):
      "cannot listen on \(host) port \(port): \(reason)"
    }
  }
}
