import CZlib

/// Joins spliceable gzip members and plain bytes to one gzip member, without compressing anything. A spliceable
/// member's deflate data ends at a byte boundary, where no later block refers back across. What stands between the
/// members goes in as stored blocks, and the checksum is put together of the members' own.
package struct GzipSplice {
  private var bytes: [UInt8] = Self.header
  private var checksum: UInt = 0
  private var rawLength: UInt32 = 0

  /// No time, no name, and "Unix" as the system: equal content gives equal bytes.
  static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  /// The end of a full flush: an empty stored block.
  private static let flush: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
  private static let final: [UInt8] = [0x03, 0x00]
  private static let trailerBytes = 8
  private static let storedBlockLimit = 0xFFFF

  package init() {}

  /// Adds bytes as they are.
  package mutating func append(_ plain: [UInt8]) {
    var rest = plain[...]
    while !rest.isEmpty {
      let block = rest.prefix(Self.storedBlockLimit)
      let count = UInt16(block.count)
      bytes.append(0)
      for word in [count, ~count] { bytes += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
      bytes += block
      rest = rest.dropFirst(block.count)
    }
    let own = plain.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
    combine(own, length: UInt32(plain.count))
  }

  /// Adds a spliceable member's content; throws if it is not one as this product writes it.
  package mutating func append(member: [UInt8]) throws(CompressionError) {
    let data = member.dropFirst(Self.header.count).dropLast(Self.trailerBytes + Self.final.count)
    guard member.starts(with: Self.header), data.suffix(Self.flush.count).elementsEqual(Self.flush),
      member.dropLast(Self.trailerBytes).suffix(Self.final.count).elementsEqual(Self.final)
    else { throw .damaged }
    bytes += data
    let trailer = member.suffix(Self.trailerBytes)
    combine(UInt(Self.number(trailer.prefix(4))), length: Self.number(trailer.suffix(4)))
  }

  /// The member of all that was added.
  package consuming func finish() -> [UInt8] {
    bytes += Self.final
    for number in [UInt32(truncatingIfNeeded: checksum), rawLength] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return bytes
  }

  private mutating func combine(_ other: UInt, length: UInt32) {
    checksum = crc32_combine(checksum, other, numericCast(length))
    rawLength &+= length
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
