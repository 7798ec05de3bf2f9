package import SeedFormat

/// The one form in which rows are compared and hashed.
///
/// The stored columns in declared order. Each is a type byte, then 8 bytes big-endian (INTEGER, and REAL by
/// its bit pattern) or a length in 8 bytes big-endian and the bytes (TEXT as UTF-8, BLOB). NULL is its type
/// byte alone.
package enum CanonicalRow {
  private enum Tag {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
  }

  /// A type byte and eight bytes of a number or a length.
  private static let headBytes = 9

  /// The canonical bytes of a whole row.
  package static func bytes(of row: [SeedValue]) -> [UInt8] {
    var block = ByteBlock()
    defer { block.clear() }
    var bytes: [UInt8] = []
    append(lent: block.lend(row), to: &bytes)
    return bytes
  }

  /// The canonical bytes of values that lie elsewhere, into a buffer that is emptied first and used again.
  package static func append(lent row: [BorrowedValue], to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount(of: row)) { buffer in
      guard let start = buffer.baseAddress else { return }
      let count = write(row, to: start)
      bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }
  }

  /// How many canonical bytes a row has at most.
  static func byteCount(of row: [BorrowedValue]) -> Int {
    var count = 0
    for value in row {
      switch value {
      case .null, .integer, .real: count += headBytes
      case .text(let bytes), .blob(let bytes): count += headBytes + bytes.count
      }
    }
    return count
  }

  /// Writes a row's canonical bytes to where there is room for ``byteCount(of:)``; returns how many they are.
  static func write(_ row: [BorrowedValue], to start: UnsafeMutablePointer<UInt8>) -> Int {
    var end = start
    for value in row {
      switch value {
      case .null:
        end.pointee = Tag.null
        end += 1
      case .integer(let value): end = write(Tag.integer, UInt64(bitPattern: value), to: end)
      case .real(let value): end = write(Tag.real, value.bitPattern, to: end)
      case .text(let text): end = write(Tag.text, text, to: end)
      case .blob(let blob): end = write(Tag.blob, blob, to: end)
      }
    }
    return end - start
  }

  @inline(__always)
  private static func write(
    _ tag: UInt8, _ content: UnsafeBufferPointer<UInt8>, to end: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let start = write(tag, UInt64(content.count), to: end)
    if let address = content.baseAddress { start.update(from: address, count: content.count) }
    return start + content.count
  }

  @inline(__always)
  private static func write(
    _ tag: UInt8, _ word: UInt64, to end: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    end.pointee = tag
    UnsafeMutableRawPointer(end + 1).storeBytes(of: word.bigEndian, as: UInt64.self)
    return end + headBytes
  }
}
