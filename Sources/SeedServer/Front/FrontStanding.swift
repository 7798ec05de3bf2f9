import SeedHTTP
import SeedSystem

/// How the server that a router answers for stands.
package struct FrontStanding: Hashable, Sendable {
  /// Open connections.
  var connections = 0
  /// Requests that are being answered.
  var answering = 0
  /// Whether the process is about to end: then others should be asked.
  var isEnding = false
}

/// A front's server as its own router sees it: the router is there first.
final class ServerWatch: Sendable {
  private struct State {
    var load: HTTPLoad?
    var isEnding = false
  }

  private let state = Mutex(State())

  /// From here on the standing is that of this server.
  func begin(_ server: HTTPServer) { state.withLock { $0.load = server.load } }

  /// From here on the front is about to end.
  func end() { state.withLock { $0.isEnding = true } }

  var standing: FrontStanding {
    let (load, isEnding) = state.withLock { ($0.load, $0.isEnding) }
    return FrontStanding(
      connections: load?.connections ?? 0, answering: load?.answering ?? 0, isEnding: isEnding)
  }
}
