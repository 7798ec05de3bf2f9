import SeedSystem

/// An address without port. IPv4 addresses are stored as IPv4-mapped IPv6 addresses.
package struct IPAddress: Hashable, Sendable {
  /// The first byte in network order is the highest.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  package init?(_ literal: String) {
    var (v4, v6) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, literal, &v4) == 1 {
      self.init(v4)
    } else if inet_pton(AF_INET6, literal, &v6) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// The address and port from a socket call; nil for other address families.
  static func reading(_ pointer: UnsafePointer<sockaddr>) -> (address: IPAddress, port: UInt16)? {
    let raw = UnsafeRawPointer(pointer)
    // On Linux the family comes first. `sockaddr.sa_family` would count as a member of CMicroHTTPD's.
    switch CInt(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let found = raw.loadUnaligned(as: sockaddr_in.self)
      return (IPAddress(found.sin_addr), UInt16(bigEndian: found.sin_port))
    case AF_INET6:
      let found = raw.loadUnaligned(as: sockaddr_in6.self)
      return (IPAddress(found.sin6_addr), UInt16(bigEndian: found.sin6_port))
    default: return nil
    }
  }

  private init(_ v4: in_addr) { bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: v4.s_addr)) }

  private init(_ v6: in6_addr) {
    bits = UInt128(bigEndian: withUnsafeBytes(of: v6) { $0.loadUnaligned(as: UInt128.self) })
  }

  private init(bits: UInt128) { self.bits = bits }

  var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The unit of connection limits: all addresses with the same first 64 bits of IPv6 belong to one subscriber.
  var subscriber: IPAddress { isIPv4 ? self : IPAddress(bits: (bits >> 64) << 64) }

  private var v4: in_addr { in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian) }

  private var v6: in6_addr { unsafeBitCast(bits.bigEndian, to: in6_addr.self) }

  /// Numeric; an IPv4-mapped address as IPv4.
  var literal: String {
    var (v4, v6) = (v4, v6)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let start = text.baseAddress,
        let written = isIPv4
          ? inet_ntop(AF_INET, &v4, start, socklen_t(text.count))
          : inet_ntop(AF_INET6, &v6, start, socklen_t(text.count))
      else { return "" }
      return String(cString: written)
    }
  }

  func withPointer<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv4 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      (address.sin_port, address.sin_addr) = (port.bigEndian, v4)
      return Self.withPointer(to: address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    (address.sin6_port, address.sin6_addr) = (port.bigEndian, v6)
    return Self.withPointer(to: address, body)
  }

  private static func withPointer<Address, Result>(
    to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafeBytes(of: address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(bytes.count)) }
    }
  }
}

/// Addresses with a common prefix: `10.0.0.0/8`, `::1`.
package struct IPNetwork: Hashable, Sendable {
  package let text: String
  private let prefix: UInt128
  private let hostBits: Int

  /// Parses an address with an optional prefix length; nil if invalid or if host bits are set.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    guard let bits = parts.count < 2 ? width : Self.number(parts[1]), 0...width ~= bits else { return nil }
    self.text = text
    hostBits = width - bits
    prefix = address.bits >> hostBits
    guard hostBits == 128 ? address.bits == 0 : prefix << hostBits == address.bits else { return nil }
  }

  // Swift defines a shift by the full width: the result is 0.
  func contains(_ address: IPAddress) -> Bool { address.bits >> hostBits == prefix }

  private static func number(_ digits: Substring) -> Int? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(digits) : nil
  }
}

/// The sender's address by `X-Forwarded-For`; `peer` if that is not a trusted proxy or the entry is unusable. Each
/// proxy appends the address of its client, so entries are read from the end, up to the first that is not a trusted
/// proxy. Earlier entries are written by the client.
func senderAddress(_ fields: [String], from peer: String, trusts: (IPAddress) -> Bool) -> String {
  var sender = peer
  for entry in fields.flatMap({ $0.split(separator: ",") }).reversed() {
    guard let address = IPAddress(sender), trusts(address) else { return sender }
    let text = String(entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
    guard IPAddress(text) != nil else { return sender }
    sender = text
  }
  return sender
}
