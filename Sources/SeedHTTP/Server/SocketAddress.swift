import SeedSystem

/// An IPv4 or IPv6 address with a port.
enum SocketAddress {
  case v4(sockaddr_in)
  case v6(sockaddr_in6)

  /// The address of a numeric literal; nil if it is none.
  init?(host: String, port: UInt16) {
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      self = .v4(v4)
    } else if inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 {
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      self = .v6(v6)
    } else {
      return nil
    }
  }

  /// The address that a socket call filled in; nil if it is of another family.
  init?(_ pointer: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(pointer)
    // On Linux the family stands first. `sockaddr.sa_family` would count as a member of CMicroHTTPD's.
    switch CInt(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET: self = .v4(raw.loadUnaligned(as: sockaddr_in.self))
    case AF_INET6: self = .v6(raw.loadUnaligned(as: sockaddr_in6.self))
    default: return nil
    }
  }

  /// Address family for `socket`.
  var family: CInt {
    switch self {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// The port.
  var port: UInt16 {
    switch self {
    case .v4(let address): UInt16(bigEndian: address.sin_port)
    case .v6(let address): UInt16(bigEndian: address.sin6_port)
    }
  }

  /// The address without its port; an IPv4 address that came in by an IPv6 socket is written as what it is.
  var literal: String {
    var text: String
    switch self {
    case .v4(var address): text = presentation(of: &address.sin_addr)
    case .v6(var address): text = presentation(of: &address.sin6_addr)
    }
    if text.hasPrefix("::ffff:"), text.contains(".") { text.removeFirst("::ffff:".utf8.count) }
    return text
  }

  private func presentation(of address: UnsafeRawPointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let start = text.baseAddress,
        let written = inet_ntop(family, address, start, socklen_t(INET6_ADDRSTRLEN))
      else { return "" }
      return String(cString: written)
    }
  }

  /// Calls `body` with the address as socket calls take it.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch self {
    case .v4(let address): Self.withPointer(to: address, body)
    case .v6(let address): Self.withPointer(to: address, body)
    }
  }

  private static func withPointer<Address, Result>(
    to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafeBytes(of: address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { rebound in
        body(rebound.baseAddress!, socklen_t(bytes.count))
      }
    }
  }
}
