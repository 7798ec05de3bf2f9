internal import CMicroHTTPD
import SeedSystem

extension HTTPServer {
  /// Whether the server still does its work, asked from outside by a connection of its own. Blocks for as long at most.
  /// A connection that the server ends is an answer too: there may be too many from this machine. Where all connections
  /// are taken, nobody is answered, and that is a crowd and no fault.
  package func isAlive(within seconds: Int) -> Bool {
    let answers = IPAddress(host).map { Self.answers($0, port, within: seconds) } ?? false
    return answers || load().connections >= connectionLimit
  }

  private static let request =
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nUser-Agent: seedbank-watchdog\r\nConnection: close\r\n\r\n"

  private static func answers(_ address: IPAddress, _ port: UInt16, within seconds: Int) -> Bool {
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let opened = socket(address.isIPv4 ? AF_INET : AF_INET6, kind, 0)
    // Without a descriptor nothing can be asked.
    guard opened >= 0 else { return true }
    defer { close(opened) }
    var patience = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
      setsockopt(opened, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    // On Linux the address of all networks leads to this machine.
    guard address.withPointer(port: port, { connect(opened, $0, $1) }) == 0 else { return false }
    let bytes = Array(request.utf8)
    guard send(opened, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count else {
      return errno == ECONNRESET || errno == EPIPE
    }
    var byte: UInt8 = 0
    return recv(opened, &byte, 1, 0) >= 0 || errno == ECONNRESET
  }
}
