public import SeedFormat

public import struct Foundation.Date

/// A statement that only reads, with its values.
///
/// Values that stand in the text are bound, never pasted into it:
///
/// ```swift
/// let stops: SeedQuery = "SELECT id, name FROM stop WHERE zone = \(zone) AND id IN (\(list: ids))"
/// ```
///
/// A date says in which form the column has dates, as in `\(day, as: .iso8601)`.
///
/// A value is a value: `ORDER BY \(column)` sorts by nothing, for the column's name is a text there. Choose among whole
/// queries, or use ``init(sql:values:)``. A part of a text is joined in SQL: `LIKE '%' || \(text) || '%'`.
public struct SeedQuery: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The statement, with parameters in place of its values.
  public let sql: String
  let values: Values

  enum Values: Hashable {
    case inOrder([SeedValue])
    case named([String: SeedValue])
  }

  /// A statement that is made while the program runs, with a value for each parameter, in order. What is pasted into
  /// `sql` is SQL, whoever wrote it: let values be parameters.
  public init(sql: String, values: [(any SeedValueConvertible)?] = []) {
    (self.sql, self.values) = (sql, .inOrder(values.seedValues))
  }

  /// A statement with named parameters, such as `:zone` or `@zone`: a value for each, by the name without its mark.
  public init(sql: String, named values: [String: (any SeedValueConvertible)?]) {
    (self.sql, self.values) = (sql, .named(values.mapValues { $0?.seedValue ?? .null }))
  }

  /// A statement without values.
  public init(stringLiteral sql: String) { self.init(sql: sql) }

  /// A statement with the values that stand in it.
  public init(stringInterpolation: StringInterpolation) {
    self.init(sql: stringInterpolation.sql, values: stringInterpolation.values)
  }

  /// The text of a query, as it comes together.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = ""
    fileprivate var values: [SeedValue] = []

    /// An empty text.
    public init(literalCapacity: Int, interpolationCount: Int) { sql.reserveCapacity(literalCapacity) }

    /// SQL.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// A value, as a parameter.
    public mutating func appendInterpolation(_ value: some SeedValueConvertible) {
      sql += "?"
      values.append(value.seedValue)
    }

    /// A value, or NULL where there is none, as a parameter.
    public mutating func appendInterpolation(_ value: (some SeedValueConvertible)?) {
      appendInterpolation(value?.seedValue ?? .null)
    }

    /// A date in the form that the column has, or NULL where there is none, as a parameter.
    public mutating func appendInterpolation(_ date: Date?, as form: SeedDateForm) {
      appendInterpolation(date.map { SeedValue($0, as: form) })
    }

    /// Values, as parameters with commas between them.
    public mutating func appendInterpolation(list: some Sequence<some SeedValueConvertible>) {
      let added = list.map(\.seedValue)
      sql += Array(repeating: "?", count: added.count).joined(separator: ", ")
      values += added
    }
  }

  /// The statement and its values, for people to read.
  public var description: String {
    switch values {
    case .inOrder(let values) where values.isEmpty: sql
    case .inOrder(let values): "\(sql) [\(values.map(\.brief).joined(separator: ", "))]"
    case .named(let values):
      "\(sql) [\(values.sorted { $0.key < $1.key }.map { "\($0): \($1.brief)" }.joined(separator: ", "))]"
    }
  }

  /// The same statement with values for the parameters that have none yet: all of them, or there is none.
  func with(_ more: [SeedValue]) throws(SeedError) -> SeedQuery {
    guard !more.isEmpty else { return self }
    guard values == .inOrder([]) else {
      throw SeedError(
        .query,
        "the query has values of its own and others behind it: put all of them into its text, or all behind it: \(sql)"
      )
    }
    return SeedQuery(sql: sql, values: more)
  }
}

extension [(any SeedValueConvertible)?] {
  /// The values as SQLite has them.
  var seedValues: [SeedValue] { map { $0?.seedValue ?? .null } }
}
