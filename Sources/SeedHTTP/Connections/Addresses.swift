import SeedSystem

/// An address without its port. An IPv4 address is held as the IPv6 address that it maps to.
package struct IPAddress: Hashable, Sendable {
  /// In network byte order: the first byte is the highest.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  /// The address of a numeric literal; nil if it is none.
  package init?(_ literal: String) {
    guard let address = SocketAddress(host: literal, port: 0) else { return nil }
    self.init(address)
  }

  init(_ address: SocketAddress) {
    switch address {
    case .v4(let address): bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: address.sin_addr.s_addr))
    case .v6(let address):
      bits = withUnsafeBytes(of: address.sin6_addr) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    }
  }

  var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The address under which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, for
  /// one subscriber has all addresses that begin so.
  var subscriber: IPAddress { isIPv4 ? self : IPAddress(bits: (bits >> 64) << 64) }

  fileprivate init(bits: UInt128) { self.bits = bits }
}

/// Addresses with a common prefix: `10.0.0.0/8`, `::1`.
package struct IPNetwork: Hashable, Sendable {
  /// As it was written.
  package let text: String
  private let prefix: UInt128
  private let hostBits: Int

  /// Reads an address with or without a number of leading bits; nil if it is none, or if further bits
  /// are set.
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

/// The sender's address by `X-Forwarded-For`; `peer` where that is no trusted proxy, or gives no usable address.
///
/// Each proxy appends the address that asked it. Only the entries that trusted proxies appended count: from the end
/// on, up to the first one that is not a trusted proxy's own address. The client itself wrote all that stands before.
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

  var family: CInt {
    switch self {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  var port: UInt16 {
    switch self {
    case .v4(let address): UInt16(bigEndian: address.sin_port)
    case .v6(let address): UInt16(bigEndian: address.sin6_port)
    }
  }

  /// The address without its port; an IPv4 address of an IPv6 socket is written as IPv4.
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

  /// Lends the address in the form that socket calls take.
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
