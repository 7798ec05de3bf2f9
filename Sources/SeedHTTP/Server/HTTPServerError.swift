/// Why a server does not start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another socket listens there.
  case portInUse(host: String, port: UInt16)
  /// The system or the library refuses, for that reason.
  case cannotListen(host: String, port: UInt16, reason: String)
  /// The system allows the process too few open files for even one connection; all would take that many.
  case tooFewDescriptors(needed: Int)

  /// One sentence: where, why, what to do.
  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) on \(host) is in use: stop what listens there or choose another port"
    case .cannotListen(let host, let port, let reason):
      "cannot listen on \(host) port \(port): \(reason)"
    case .tooFewDescriptors(let needed):
      "the process may open too few files: raise its hard limit (ulimit -Hn, LimitNOFILE=) to \(needed)"
    }
  }
}
