import SeedFormat

/// The entries of an index as one number, whatever their order: equal for equal entries.
///
/// It finds what a broken disk or library did. It is no protection against anyone: who could forge entries with the
/// same sum could as well have written other rows, and those are told by the digest.
struct EntrySum: Hashable {
  private var sum: UInt64 = 0
  private var entries = 0

  /// Odd and without a pattern: the fractions of the golden ratio and of the square root of 3.
  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let factor: UInt64 = 0xBB67_AE85_84CA_A73B

  private enum Tag {
    static let null: UInt64 = 1
    static let integer: UInt64 = 2
    static let real: UInt64 = 3
    static let text: UInt64 = 4
    static let blob: UInt64 = 5
  }

  mutating func insert(_ places: [Int], of row: [BorrowedValue]) {
    var hash = Self.seed
    for place in places { Self.add(row[place], to: &hash) }
    sum &+= hash
    entries += 1
  }

  private static func add(_ value: BorrowedValue, to hash: inout UInt64) {
    switch value {
    case .null: add(Tag.null, 0, to: &hash)
    case .integer(let value): add(Tag.integer, UInt64(bitPattern: value), to: &hash)
    case .real(let value): add(value, to: &hash)
    case .text(let bytes): add(Tag.text, bytes, to: &hash)
    case .blob(let bytes): add(Tag.blob, bytes, to: &hash)
    }
  }

  /// A whole number is one value to an index, however it is stored.
  private static func add(_ value: Double, to hash: inout UInt64) {
    if let whole = Int64(exactly: value) {
      add(Tag.integer, UInt64(bitPattern: whole), to: &hash)
    } else {
      add(Tag.real, value.bitPattern, to: &hash)
    }
  }

  private static func add(_ tag: UInt64, _ bytes: UnsafeBufferPointer<UInt8>, to hash: inout UInt64) {
    add(tag, UInt64(bytes.count), to: &hash)
    let raw = UnsafeRawBufferPointer(bytes)
    let width = MemoryLayout<UInt64>.size
    var offset = 0
    while offset + width <= raw.count {
      add(tag, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self), to: &hash)
      offset += width
    }
    guard offset < raw.count else { return }
    var rest: UInt64 = 0
    for byte in raw[offset...] { rest = rest << 8 | UInt64(byte) }
    add(tag, rest, to: &hash)
  }

  /// Both halves of a product: each bit of the word moves half of the hash's.
  private static func add(_ tag: UInt64, _ word: UInt64, to hash: inout UInt64) {
    let product = (word ^ hash).multipliedFullWidth(by: factor &+ tag << 1)
    hash = (product.high ^ product.low) &+ tag
  }
}
