import SeedSystem

/// An address without its port. An IPv4 address is held as the IPv6 address that it maps to.
package struct IPAddress: Hashable, Sendable {
  /// In network byte order: the first byte is the highest.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  /// The address of a numeric literal; nil if it is none.
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

  /// The address that a socket call filled in, with its port; nil if it is of another family.
  static func reading(_ pointer: UnsafePointer<sockaddr>) -> (address: IPAddress, port: UInt16)? {
    let raw = UnsafeRawPointer(pointer)
    // On Linux the family stands first. `sockaddr.sa_family` would count as a member of CMicroHTTPD's.
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

  /// Under which connections are counted: one subscriber has all addresses that share an IPv6 address's first 64 bits.
  var subscriber: IPAddress { isIPv4 ? self : IPAddress(bits: (bits >> 64) << 64) }

  private var v4: in_addr { in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian) }

  private var v6: in6_addr { unsafeBitCast(bits.bigEndian, to: in6_addr.self) }

  /// Numeric, an IPv4 address of an IPv6 socket as IPv4.
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
  /// As it was written.
  package let text: String
  private let prefix: UInt128
  private let hostBits: Int

  /// Reads an address with or without a number of leading bits; nil if it is none, or if further bits are set.
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

  // Shifting by the whole width is defined in Swift: it leaves nothing.
  func contains(_ address: IPAddress) -> Bool { address.bits >> hostBits == prefix }

  private static func number(_ digits: Substring) -> Int? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(digits) : nil
  }
}

/// The sender's address by `X-Forwarded-For`; `peer` where that is no trusted proxy, or gives no usable address. Each
/// proxy appends the address that asked it, so entries count from the end on, up to the first that is no trusted
/// proxy's own. The client itself wrote all that stands before.
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
