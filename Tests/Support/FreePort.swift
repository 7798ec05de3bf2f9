#if os(Linux)
import Foundation

/// A port for a program that cannot choose one. It is below the ephemeral range, so that no other program gets it
/// meanwhile.
package func freePort() throws -> UInt16 {
  for _ in 0..<1000 {
    let port = UInt16.random(in: 10_000..<32_000)
    if isFree(port) { return port }
  }
  throw NeverHappened(what: "a port is free")
}

private func isFree(_ port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  address.sin_port = port.bigEndian
  return withUnsafeBytes(of: address) { bytes in
    bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
  } == 0
}
#endif
