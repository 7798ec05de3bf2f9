public import SeedFormat

public import struct Foundation.Date
public import struct Foundation.UUID

/// A read-only statement with its values.
///
/// Interpolated values are bound as parameters, never inserted as text:
///
/// ```swift
/// let stops: SeedQuery = "SELECT id, name FROM stop WHERE zone = \(zone) AND id IN (\(list: ids))"
/// ```
///
/// A query can be part of another, for example an optional filter:
///
/// ```swift
/// let filter: SeedQuery = zone.map { "WHERE zone = \($0)" } ?? ""
/// let stops: SeedQuery = "SELECT id, name FROM stop \(part: filter) ORDER BY name"
/// ```
///
/// For a date, name the column's form, as in `\(day, as: .iso8601)`; for a `UUID` in a column of bytes, write `\(id, as: .blob)`.
///
/// `ORDER BY \(column)` does not sort, because the column's name is bound as text: choose among whole queries
/// instead, or use ``init(sql:values:)``. If `zone` is nil, `IS \(zone)` finds NULL, but `= \(zone)` finds nothing.
/// Concatenate text in SQL: `LIKE '%' || \(text) || '%'`.
public struct SeedQuery: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The statement, with parameters in place of its values.
  public let sql: String
  let values: [SeedValue]

  /// Creates a statement at run time, with a value for each parameter. Pass untrusted input as values, not in `sql`.
  public init(sql: String, values: [(any SeedValueConvertible)?] = []) {
    (self.sql, self.values) = (sql, values.map { $0?.seedValue ?? .null })
  }

  /// Creates a statement without values.
  public init(stringLiteral sql: String) { self.init(sql: sql) }

  /// Creates a statement with its interpolated values.
  public init(stringInterpolation: StringInterpolation) {
    self.init(sql: stringInterpolation.sql, values: stringInterpolation.values)
  }

  /// The interpolation of a query.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = ""
    fileprivate var values: [SeedValue] = []

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) { sql.reserveCapacity(literalCapacity) }

    /// Appends SQL.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: some SeedValueConvertible) {
      sql += "?"
      values.append(value.seedValue)
    }

    /// Binds a value, or NULL if nil.
    public mutating func appendInterpolation(_ value: (some SeedValueConvertible)?) {
      appendInterpolation(value?.seedValue ?? .null)
    }

    /// Binds a date in the column's form, or NULL if nil.
    public mutating func appendInterpolation(_ date: Date?, as form: SeedDateForm) {
      appendInterpolation(date.map { SeedValue($0, as: form) })
    }

    /// Binds a UUID in the column's form, or NULL if nil.
    public mutating func appendInterpolation(_ id: UUID?, as form: SeedUUIDForm) {
      appendInterpolation(id.map { SeedValue($0, as: form) })
    }

    /// Binds several values, separated by commas.
    public mutating func appendInterpolation(list: some Sequence<some SeedValueConvertible>) {
      let added = list.map(\.seedValue)
      sql += Array(repeating: "?", count: added.count).joined(separator: ", ")
      values += added
    }

    /// Inserts another query's SQL, and binds its values.
    public mutating func appendInterpolation(part: SeedQuery) {
      sql += part.sql
      values += part.values
    }
  }
}

/// A row of a query's result.
public struct SeedRow: Hashable, Sendable, CustomStringConvertible {
  /// The result's column names, in order.
  public let names: [String]
  /// The values, in order.
  public let values: [SeedValue]

  package init(names: [String], values: [SeedValue]) { (self.names, self.values) = (names, values) }

  /// The value of the first column with that name; `nil` if the query returns no such column.
  public subscript(name: String) -> SeedValue? { names.firstIndex(of: name).map { values[$0] } }

  /// The names and values, such as `(id: de:1, name: Alexanderplatz)`.
  public var description: String { "(\(zip(names, values).map { "\($0): \($1)" }.joined(separator: ", ")))" }
}

extension SeedValue {
  /// Whether the value is NULL.
  public var isNull: Bool { if case .null = self { true } else { false } }
}
