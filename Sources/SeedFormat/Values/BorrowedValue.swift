import SeedSystem

/// A value whose text or blob lies in memory that somebody else owns: a scanner's window, a statement's row. It is good
/// until its owner moves on, and never leaves the function that was handed it. It exists because a row that is imported
/// would otherwise be copied into strings and arrays that live for a microsecond.
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

  /// Bytes of a text or a blob.
  package var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .null, .integer, .real: 0
    }
  }

  /// Compares the canonical bytes, as ``SeedValue``'s equality does.
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
    // An empty value may have no address, which memcmp does not allow.
    guard let left = left.baseAddress, let address = right.baseAddress else { return true }
    return memcmp(left, address, right.count) == 0
  }
}

extension SeedValue {
  /// Lends the value where it lies.
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
