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
  package var connectionLimit = 4096
  /// Open connections from one address at most; nil for no such limit.
  package var perAddressLimit: Int?
  /// Memory of one connection in bytes: what a request's head must fit into, halved.
  package var connectionMemoryBytes = 32 * 1024
  /// Seconds without a byte in either direction after which a connection is closed.
  package var idleTimeoutSeconds = 10
  /// Takes what libmicrohttpd has to say, one line at a time, on its threads. The other side can provoke any
  /// number of such lines, so nothing is written unless someone asks for it.
  package var log: @Sendable (String) -> Void = { _ in }

  /// The defaults: 127.0.0.1, any port.
  package init() {}

  /// The defaults at that host and port.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}
