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
    left.withBorrowed { left in right.withBorrowed { BorrowedValue.same(left, $0) } }
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

extension SeedValue: Decodable {
  /// Decodes any column, or JSON's null, numbers, texts and bools (as 1 and 0).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = value.seedValue
    } else if let value = try? container.decode(Bool.self) {
      self = value.seedValue
    } else {
      self = .text(try container.decode(String.self))
    }
  }
}
