/// A SQLite value.
public enum SeedValue: Hashable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  /// REAL; never a NaN, which SQLite stores as NULL.
  case real(Double)
  /// TEXT, valid UTF-8; may contain U+0000.
  case text(String)
  case blob([UInt8])

  /// Compares canonical bytes: 1 and 1.0 differ, 0.0 and −0.0 differ, and so do composed and decomposed "é".
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Consistent with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .blob(let value): hasher.combine(value)
    }
  }

  /// The value for people: a text without quotes, a blob as its size.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value
    case .blob(let value): "blob of \(value.count) bytes"
    }
  }
}
