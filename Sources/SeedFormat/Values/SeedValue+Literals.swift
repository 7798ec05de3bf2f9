extension SeedValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A number with a fraction.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// 1 for true, 0 for false, as SQLite has them.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

/// What can stand for a value in a query, and is read back as what it was.
///
/// A date or a `Decimal` cannot by itself, for columns have them in several forms: choose one, as in
/// `\(date, as: .iso8601)`. An enumeration with a raw value only has to say that it conforms.
public protocol SeedValueConvertible {
  /// The value as SQLite has it.
  var seedValue: SeedValue { get }
}

extension SeedValue: SeedValueConvertible {
  /// The value itself.
  public var seedValue: SeedValue { self }
}

extension SeedValueConvertible where Self: FixedWidthInteger {
  /// A whole number; one beyond 64 bits, which SQLite does not have, becomes the nearest number with a fraction.
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
  /// A number; one that is none is NULL, as in SQLite.
  public var seedValue: SeedValue { isNaN ? .null : .real(self) }
}

extension Float: SeedValueConvertible {
  /// A number.
  public var seedValue: SeedValue { Double(self).seedValue }
}

extension Bool: SeedValueConvertible {
  /// 1 for true, 0 for false.
  public var seedValue: SeedValue { .integer(self ? 1 : 0) }
}

extension String: SeedValueConvertible {
  /// A text.
  public var seedValue: SeedValue { .text(self) }
}

extension Substring: SeedValueConvertible {
  /// A text.
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
  /// The value, or NULL where there is none.
  public var seedValue: SeedValue { self?.seedValue ?? .null }
}
