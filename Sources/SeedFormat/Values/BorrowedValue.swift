import SeedSystem

/// A value whose text or blob is owned by a scanner's window or a statement's row, so that imported rows are not
/// copied. It is valid until the owner moves on, and must not escape the function that receives it.
@usableFromInline
package enum BorrowedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case blob(UnsafeBufferPointer<UInt8>)

  @inlinable
  package var isNull: Bool { if case .null = self { true } else { false } }

  package var owned: SeedValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob(Array(bytes))
    }
  }

  /// The bytes of a string or a blob; otherwise empty.
  @inlinable
  package var content: UnsafeBufferPointer<UInt8> {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer, .real: UnsafeBufferPointer(start: nil, count: 0)
    }
  }

  @inlinable
  package var byteCount: Int { content.count }

  /// Compares canonical bytes, as ``SeedValue`` does.
  @inlinable
  package static func same(_ left: BorrowedValue, _ right: BorrowedValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): sameBytes(a, b)
    default: false
    }
  }

  @usableFromInline
  static func sameBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    // An empty value may have no address, which memcmp does not accept.
    guard let left = left.baseAddress, let address = right.baseAddress else { return true }
    return memcmp(left, address, right.count) == 0
  }
}

extension SeedValue {
  @inlinable
  package func withBorrowed<Result>(_ body: (BorrowedValue) -> Result) -> Result {
    switch self {
    case .null: body(.null)
    case .integer(let value): body(.integer(value))
    case .real(let value): body(.real(value))
    case .text(var text): text.withUTF8 { body(.text($0)) }
    case .blob(let bytes): bytes.withUnsafeBufferPointer { body(.blob($0)) }
    }
  }
}

extension String {
  /// Returns nil if the bytes are not UTF-8. `String(validating:as:)` takes twice as long and requires newer systems.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid bytes, so the result would differ.
    guard utf8.count == bytes.count else { return nil }
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      UnsafeRawBufferPointer(own).elementsEqual(UnsafeRawBufferPointer(bytes))
    }
    guard isSame ?? utf8.elementsEqual(bytes) else { return nil }
  }
}

/// Returns the length of the multibyte sequence at `index` by the Unicode Standard's table 3-7; 0 if it is invalid,
/// -1 if it continues after `end`.
package func utf8SequenceLength(_ bytes: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> Int {
  let (length, second) = lead(bytes[index])
  guard length > 0 else { return 0 }
  for offset in 1..<length {
    guard index + offset < end else { return -1 }
    let allowed = offset == 1 ? second : 0x80...0xBF
    guard allowed.contains(bytes[index + offset]) else { return 0 }
  }
  return length
}

private func lead(_ byte: UInt8) -> (length: Int, second: ClosedRange<UInt8>) {
  switch byte {
  case 0xC2...0xDF: (2, 0x80...0xBF)
  case 0xE0: (3, 0xA0...0xBF)
  case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
  case 0xED: (3, 0x80...0x9F)
  case 0xF0: (4, 0x90...0xBF)
  case 0xF1...0xF3: (4, 0x80...0xBF)
  case 0xF4: (4, 0x80...0x8F)
  default: (0, 0...0)
  }
}
