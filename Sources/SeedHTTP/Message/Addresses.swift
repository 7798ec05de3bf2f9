import SeedFormat
import SeedSystem

package struct IPAddress: Hashable, Sendable {
  /// The first byte in network order is the highest.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  package init?(_ literal: String) {
    guard literal.contains(where: { ".:".contains($0) }) else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, literal.contains(":") ? literal : "::ffff:\(literal)", &address) == 1 else {
      return nil
    }
    self.init(address)
  }

  /// The address from a socket call; nil for other address families.
  init?(_ pointer: UnsafePointer<sockaddr>?) {
    guard let raw = UnsafeRawPointer(pointer) else { return nil }
    // On Linux, the family comes first. `sockaddr.sa_family` is unusable: the compiler attributes it to CMicroHTTPD.
    switch CInt(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
      self.init(bits: Self.mappedPrefix | UInt128(UInt32(bigEndian: address)))
    case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  private init(_ address: in6_addr) {
    bits = UInt128(bigEndian: withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt128.self) })
  }

  private init(bits: UInt128) { self.bits = bits }

  var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The unit of connection limits: IPv6 addresses with the same first 64 bits count as one subscriber.
  var subscriber: IPAddress { isIPv4 ? self : IPAddress(bits: (bits >> 64) << 64) }

  /// The address as numeric text; an IPv4-mapped one as IPv4.
  var literal: String {
    var address = unsafeBitCast(bits.bigEndian, to: in6_addr.self)
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      inet_ntop(AF_INET6, &address, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) } ?? ""
    }
    return isIPv4 ? String(text.dropFirst("::ffff:".count)) : text
  }
}

package struct IPNetwork: Hashable, Sendable {
  package let text: String
  private let prefix: UInt128
  private let hostBits: Int

  /// Parses an address with an optional prefix length; nil if invalid or if host bits are set.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    guard let bits = parts.count < 2 ? width : canonicalDecimal(parts[1], in: 0...width) else { return nil }
    self.text = text
    hostBits = width - bits
    prefix = address.bits >> hostBits
    guard hostBits == 128 ? address.bits == 0 : prefix << hostBits == address.bits else { return nil }
  }

  // Swift defines a shift by the full width: the result is 0.
  func contains(_ address: IPAddress) -> Bool { address.bits >> hostBits == prefix }
}

/// The sender's address: `peer`, or an entry of `X-Forwarded-For`. Each proxy appends its client's address, so
/// entries are read from the end. Reading stops at the first address that is not a trusted proxy's, because its owner
/// may have forged all earlier entries. It also stops before an entry that is not an address.
func senderAddress(
  _ fields: [String], from peer: IPAddress?, trusts: (IPAddress) -> Bool
) -> IPAddress? {
  var sender = peer
  for entry in fields.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).reversed() {
    guard let address = sender, trusts(address), let next = IPAddress(String(Substring(entry.trimmed)))
    else { return sender }
    sender = next
  }
  return sender
}
