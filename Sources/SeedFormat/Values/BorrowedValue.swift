import SeedSystem

/// A value whose text or blob is owned elsewhere, by a scanner's window or a statement's row. It is valid until the
/// owner moves on, must not escape the function that receives it, and saves copying each imported row.
@usableFromInline
package enum BorrowedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case blob(UnsafeBufferPointer<UInt8>)

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

  @inlinable
  package var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .null, .integer, .real: 0
    }
  }

  /// Compares canonical bytes, as ``SeedValue`` does.
  package static func same(_ left: BorrowedValue, _ right: BorrowedValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): sameBytes(a, b)
    default: false
    }
  }

  static func sameBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    // An empty value may have no address, which memcmp does not accept.
    guard let left = left.baseAddress, let address = right.baseAddress else { return true }
    return memcmp(left, address, right.count) == 0
  }
}

extension SeedValue {
  /// Lends the value without a copy.
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
