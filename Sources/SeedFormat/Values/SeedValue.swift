/// A SQLite value.
public enum SeedValue: Hashable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  /// REAL; never a NaN, which SQLite stores as NULL.
  case real(Double)
  /// TEXT, valid UTF-8; may contain U+0000.
  case text(String)
  case blob([UInt8])

  /// Compares canonical bytes: 1 and 1.0 differ, as do 0.0 and −0.0, and composed and decomposed "é".
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

  /// The value for people to read: a string without quotes, a blob as its size.
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
  /// Decodes a column's value, or JSON's null, number, string or bool (as 1 or 0).
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

extension SeedValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A real.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// A string.
  public init(stringLiteral value: String) { self = .text(value) }

  /// 1 for true, 0 for false, as in SQLite.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

/// A type that can be a value in a query.
///
/// Dates and `Decimal` do not conform, because columns store them in several forms: choose one, as in
/// `\(date, as: .iso8601)`. An enumeration with a raw value only needs to declare conformance.
public protocol SeedValueConvertible {
  /// The value for SQLite.
  var seedValue: SeedValue { get }
}

extension SeedValue: SeedValueConvertible {
  /// This value.
  public var seedValue: SeedValue { self }
}

extension SeedValueConvertible where Self: FixedWidthInteger {
  /// An integer; one beyond 64 bits becomes the nearest real.
  public var seedValue: SeedValue { Int64(exactly: self).map { .integer($0) } ?? .real(Double(self)) }
}

extension Int: SeedValueConvertible {}
extension Int8: SeedValueConvertible {}
extension Int16: SeedValueConvertible {}
extension Int32: SeedValueConvertible {}
extension Int64: SeedValueConvertible {}
extension UInt: SeedValueConvertible {}
extension UInt8: SeedValueConvertible {}
extension UInt16: SeedValueConvertible {}
extension UInt32: SeedValueConvertible {}
extension UInt64: SeedValueConvertible {}

extension Double: SeedValueConvertible {
  /// A real; NaN becomes NULL, as in SQLite.
  public var seedValue: SeedValue { isNaN ? .null : .real(self) }
}

extension Float: SeedValueConvertible {
  /// A real.
  public var seedValue: SeedValue { Double(self).seedValue }
}

extension Bool: SeedValueConvertible {
  /// 1 for true, 0 for false.
  public var seedValue: SeedValue { .integer(self ? 1 : 0) }
}

extension String: SeedValueConvertible {
  /// A string.
  public var seedValue: SeedValue { .text(self) }
}

extension Substring: SeedValueConvertible {
  /// A string.
  public var seedValue: SeedValue { .text(String(self)) }
}

extension [UInt8]: SeedValueConvertible {
  /// A blob.
  public var seedValue: SeedValue { .blob(self) }
}

extension SeedValueConvertible where Self: RawRepresentable, RawValue: SeedValueConvertible {
  /// The raw value.
  public var seedValue: SeedValue { rawValue.seedValue }
}

extension Optional: SeedValueConvertible where Wrapped: SeedValueConvertible {
  /// The value, or NULL if nil.
  public var seedValue: SeedValue { self?.seedValue ?? .null }
}
