#if os(Linux)
import Foundation
import SeedSystem

/// The ports of this process, which `Scripts/run-tests` gives it. They are below the ephemeral range, so that no other
/// program gets one meanwhile.
private let ports: Range<UInt16> = {
  let bounds = ProcessInfo.processInfo.environment["TESTS_PORTS"]?.split(separator: " ").compactMap {
    UInt16($0)
  }
  return bounds.map { $0[0]..<$0[1] } ?? 10_000..<30_000
}()

/// Random, so that two runs on one machine differ.
private let next = Mutex(UInt16.random(in: ports))

/// A port for a program that cannot choose one. Ports repeat only after all have been used.
package func freePort() throws -> UInt16 {
  for _ in ports {
    let port = next.withLock { next in
      defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
      return next
    }
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
