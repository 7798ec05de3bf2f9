extension SeedValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A real.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// 1 for true, 0 for false, as in SQLite.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

/// A type that can be a value in a query.
///
/// Dates and `Decimal` do not conform, because columns store them in several forms: choose one, as in `\(date, as:
/// .iso8601)`. An enumeration with a raw value only needs to declare conformance.
public protocol SeedValueConvertible {
  /// The value for SQLite.
  var seedValue: SeedValue { get }
}

extension SeedValue: SeedValueConvertible {
  /// Itself.
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
  /// The value, or NULL if nil.
  public var seedValue: SeedValue { self?.seedValue ?? .null }
}
