public import SeedFormat

/// A mapping from objects to rows of one table.
public struct TableMapping: Sendable {
  /// How members match columns that are not listed.
  public enum NameStyle: String, Hashable, Sendable, CaseIterable {
    /// By equal names.
    case identity
    /// `first_name` goes to `firstName`.
    case snakeToCamel
    /// `firstName` goes to `first_name`.
    case camelToSnake
    /// Only listed columns are filled.
    case explicit
  }

  /// How rows that an import does not mention are handled.
  public enum MergeMode: String, Hashable, Sendable, CaseIterable {
    /// Keeps them; columns that a row does not mention keep their values.
    case merge
    /// Deletes them; columns that a row does not mention keep their values.
    case mergeAndDeleteMissing
    /// Deletes them; columns that a row does not mention get the schema's default.
    case replace
  }

  /// The table's name.
  public var table: String
  /// The columns that identify a row; the table needs a unique index on them. If empty, the primary key is used.
  public var key: [String]
  /// How members match columns that are not in ``columns``.
  public var names: NameStyle
  /// The listed columns and their members.
  public var columns: [String: ColumnMapping]
  /// Columns with the same value in every row.
  public var constants: [String: SeedValue]
  /// The values for columns whose member is missing in a new row; existing rows keep their values. A key column takes
  /// its default in every row without its member.
  public var defaults: [String: SeedValue]
  /// Rows of other tables nested in this row's object.
  public var relations: [RelationMapping]
  /// How rows that the import does not mention are handled. For nested rows, this must be `merge`;
  /// ``RelationMapping/mode`` decides which nested rows stay with their parent.
  public var mode: MergeMode

  /// Creates a mapping; by default members match columns with equal names.
  public init(
    _ table: String, key: [String] = [], names: NameStyle = .identity,
    columns: [String: ColumnMapping] = [:], constants: [String: SeedValue] = [:],
    defaults: [String: SeedValue] = [:], relations: [RelationMapping] = [], mode: MergeMode = .merge
  ) {
    (self.table, self.key, self.names, self.columns) = (table, key, names, columns)
    (self.constants, self.defaults, self.relations) = (constants, defaults, relations)
    self.mode = mode
  }
}

extension TableMapping: ExpressibleByStringLiteral {
  /// Maps members to the columns with the same names in this table.
  public init(stringLiteral value: String) { self.init(value) }
}

/// The source of a column's value.
public struct ColumnMapping: Sendable {
  /// The member, relative to the row's object. `$` is the row's value, for arrays of plain values; if the value is an
  /// object, the column takes the member with the column's name.
  public var member: MemberPath
  /// The conversion of the member's value.
  public var conversion: ImportConversion

  /// Takes the value at a path and converts it.
  public static func from(_ member: MemberPath, _ conversion: ImportConversion = .automatic) -> ColumnMapping
  { ColumnMapping(member: member, conversion: conversion) }
}

extension ColumnMapping: ExpressibleByStringLiteral {
  /// Takes the value at a path with the automatic conversion.
  public init(stringLiteral value: String) { self = .from(MemberPath(value)) }
}

extension TableMapping.NameStyle {
  package func columnName(_ member: String) -> String {
    switch self {
    case .identity, .explicit: member
    case .snakeToCamel: Self.camel(member)
    case .camelToSnake: Self.snake(member)
    }
  }

  private static func camel(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard let first = parts.first else { return name }
    let rest = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return ([String(first)] + rest).joined()
  }

  private static func snake(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      if character.isUppercase, !result.isEmpty { result.append("_") }
      result += character.lowercased()
    }
  }
}

/// How a document's value becomes a column's value.
public enum ImportConversion: Sendable {
  /// The format of a date in the document.
  public enum DateFormat: String, Hashable, Sendable, CaseIterable {
    /// ISO 8601 with or without separators, or PostgreSQL's form: a date, or a date and time.
    case iso8601
    /// Seconds since 1970, as a number or a string.
    case seconds
    /// Milliseconds since 1970, as a number or a string.
    case milliseconds
  }

  /// The form of a date in its column.
  public enum DateForm: String, Hashable, Sendable, CaseIterable {
    /// Seconds since 1970. A fraction is kept only if the column is not INTEGER.
    case seconds
    /// Whole milliseconds since 1970.
    case milliseconds
    /// Seconds since 2001, as Core Data stores dates. Fractions are kept as with `seconds`.
    case coredata
  }

  /// Converts according to the column's type: a number to text with the same digits, a string that spells a number to
  /// that number, true to 1.
  case automatic
  /// Converts a date. `zone` is the offset east of Greenwich in seconds, for strings without a zone.
  case date(_ format: DateFormat = .iso8601, as: DateForm = .seconds, zone: Int = 0)
  /// Decodes Base64.
  case base64
  /// Stores any value as compact JSON; numbers keep their digits.
  case json
  /// Calls the app's function; an error that it throws becomes an issue of the row. Objects and arrays are passed as
  /// JSON. The function may run twice for a row if that row or one near it is rejected.
  case custom(@Sendable (SeedValue) throws -> SeedValue)

  /// True if an object or an array is accepted.
  var takesObjects: Bool {
    switch self {
    case .json, .custom: true
    case .automatic, .date, .base64: false
    }
  }
}
