import CZlib

/// Joins spliceable gzip members and plain bytes into one gzip member without compressing. The deflate data
/// of a spliceable member ends at a byte boundary, and later blocks do not refer to data before it.
/// Plain bytes become stored blocks. The result's checksum is computed from the members' checksums.
package struct GzipSplice {
  /// Members are not copied, because they may be large, and may be used in several splices.
  private var parts = [Self.header[...]]
  private var checksum: UInt = 0
  private var rawLength: UInt32 = 0

  /// No time, no name, and "Unix" as the system, so that equal content gives equal bytes.
  static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  private static let flush: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
  private static let final: [UInt8] = [0x03, 0x00]
  private static let trailerBytes = 8
  private static let storedBlockLimit = 0xFFFF

  package init() {}

  package mutating func append(_ plain: [UInt8]) {
    var (rest, blocks) = (plain[...], [] as [UInt8])
    while !rest.isEmpty {
      let block = rest.prefix(Self.storedBlockLimit)
      let count = UInt16(block.count)
      blocks.append(0)
      for word in [count, ~count] { blocks += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
      blocks += block
      rest = rest.dropFirst(block.count)
    }
    parts.append(blocks[...])
    let own = plain.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
    combine(own, length: UInt32(plain.count))
  }

  /// Adds a member's content; throws unless the member is spliceable, like those of ``GzipEncoder``.
  package mutating func append(member: [UInt8]) throws(CompressionError) {
    let data = member.dropFirst(Self.header.count).dropLast(Self.trailerBytes + Self.final.count)
    guard member.starts(with: Self.header), data.suffix(Self.flush.count).elementsEqual(Self.flush),
      member.dropLast(Self.trailerBytes).suffix(Self.final.count).elementsEqual(Self.final)
    else { throw .damaged }
    parts.append(data)
    let trailer = member.suffix(Self.trailerBytes)
    combine(UInt(Self.number(trailer.prefix(4))), length: Self.number(trailer.suffix(4)))
  }

  /// The joined member's bytes, in consecutive parts.
  package consuming func finish() -> [ArraySlice<UInt8>] {
    let trailer = [UInt32(truncatingIfNeeded: checksum), rawLength].flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return parts + [(Self.final + trailer)[...]]
  }

  private mutating func combine(_ other: UInt, length: UInt32) {
    checksum = crc32_combine(checksum, other, numericCast(length))
    rawLength &+= length
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
