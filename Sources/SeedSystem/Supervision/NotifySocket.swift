#if !canImport(Darwin)
/// Where a service manager takes a service's messages, one datagram each: sd_notify(3). The protocol is small enough to
/// need no library. As in systemd's own, a socket is opened for each message, so a manager that was restarted is found.
package struct NotifySocket: Hashable, Sendable {
  /// As the manager wrote it: a path, or a name of Linux's own after `@`.
  package let text: String

  /// Bytes of a name that the system's address has room for, with the zero at its end.
  private static let mostBytes = 108
  /// A manager that does not read must not stop the service.
  private static let sendSeconds = 1

  /// `nil` where the text names no such socket.
  package init?(_ text: String) {
    let isAddress = (text.hasPrefix("/") || text.hasPrefix("@")) && text.utf8.count > 1
    guard isAddress, text.utf8.count < Self.mostBytes, !text.utf8.contains(0) else { return nil }
    self.text = text
  }

  /// Sends one message; throws where nobody takes it.
  package func send(_ message: String) throws(FileError) {
    let socket = try retrying("open a socket for", text) {
      Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
    defer { close(socket) }
    var patience = timeval(tv_sec: Self.sendSeconds, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(message.utf8)
    _ = try retrying("send to", text) {
      withAddress { sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isPath = text.hasPrefix("/")
    // A name of Linux's own begins with a zero and ends with its length, a path with a zero.
    let name = Array(text.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name)
      if !isPath { path[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    let count = socklen_t(start + name.count + (isPath ? 1 : 0))
    return withUnsafeBytes(of: address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, count) }
    }
  }
}
#endif
