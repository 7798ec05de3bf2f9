import SeedSystem

/// An address without its port. An IPv4 address is the IPv6 address that it is mapped to.
package struct IPAddress: Hashable, Sendable {
  /// In the order of the bytes on the wire, the first one highest.
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

  /// Whom connections are counted for: an IPv4 address, or the 64 bits of an IPv6 address that one subscriber
  /// has all addresses of.
  var subscriber: IPAddress { isIPv4 ? self : IPAddress(bits: (bits >> 64) << 64) }

  fileprivate init(bits: UInt128) { self.bits = bits }
}

/// Addresses that begin alike: `10.0.0.0/8`, `::1`.
package struct IPNetwork: Hashable, Sendable {
  /// As it was written.
  package let text: String
  private let prefix: UInt128
  private let hostBits: Int

  /// Reads an address with or without a number of leading bits; nil if it is none, or if bits beyond those
  /// are set.
  package init?(_ text: String) {
    self.text = text
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    guard let bits = parts.count < 2 ? width : Self.number(parts[1]), 0...width ~= bits else { return nil }
    hostBits = width - bits
    prefix = Self.head(of: address, without: hostBits)
    guard hostBits == 128 ? address.bits == 0 : prefix << hostBits == address.bits else { return nil }
  }

  /// Whether the address is one of them.
  func contains(_ address: IPAddress) -> Bool { Self.head(of: address, without: hostBits) == prefix }

  private static func head(of address: IPAddress, without hostBits: Int) -> UInt128 {
    // Shifting by the whole width is defined in Swift: it leaves nothing.
    address.bits >> hostBits
  }

  private static func number(_ digits: Substring) -> Int? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(digits) : nil
  }
}
