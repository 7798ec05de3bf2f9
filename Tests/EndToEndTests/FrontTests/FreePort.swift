import Foundation

/// A port that nobody listens on, for programs that cannot choose one themselves.
func freePort() throws -> UInt16 {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
      _ = bind(descriptor, generic, length)
      _ = getsockname(descriptor, generic, &length)
    }
  }
  return UInt16(bigEndian: address.sin_port)
}
