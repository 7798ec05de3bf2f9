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

  /// The canonical bytes of a whole row.
  package static func bytes(of row: [SeedValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    append(row, to: &bytes)
    return bytes
  }

  /// As ``bytes(of:)``, into a buffer that is emptied first and used again.
  package static func append(_ row: [SeedValue], to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    for value in row { append(value, to: &bytes) }
  }

  private static func append(_ value: SeedValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(Tag.null)
    case .integer(let value): append(Tag.integer, UInt64(bitPattern: value), to: &bytes)
    case .real(let value): append(Tag.real, value.bitPattern, to: &bytes)
    case .text(let value):
      append(Tag.text, UInt64(value.utf8.count), to: &bytes)
      bytes.append(contentsOf: value.utf8)
    case .blob(let value):
      append(Tag.blob, UInt64(value.count), to: &bytes)
      bytes.append(contentsOf: value)
    }
  }

  /// As ``append(_:to:)``, for values that lie elsewhere.
  package static func append(lent row: [BorrowedValue], to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    for value in row {
      switch value {
      case .null: bytes.append(Tag.null)
      case .integer(let value): append(Tag.integer, UInt64(bitPattern: value), to: &bytes)
      case .real(let value): append(Tag.real, value.bitPattern, to: &bytes)
      case .text(let text): append(Tag.text, text, to: &bytes)
      case .blob(let blob): append(Tag.blob, blob, to: &bytes)
      }
    }
  }

  private static func append(_ tag: UInt8, _ content: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    append(tag, UInt64(content.count), to: &bytes)
    bytes.append(contentsOf: content)
  }

  private static func append(_ tag: UInt8, _ word: UInt64, to bytes: inout [UInt8]) {
    bytes.append(tag)
    withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
