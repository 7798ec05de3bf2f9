public import SeedFormat

/// How objects become rows of one table.
public struct TableMapping: Sendable {
  /// How members find their columns where none is listed for them.
  public enum NameStyle: String, Hashable, Sendable, CaseIterable {
    /// By the same name.
    case identity
    /// `first_name` goes to `firstName`.
    case snakeToCamel
    /// `firstName` goes to `first_name`.
    case camelToSnake
    /// Only listed columns are filled.
    case explicit
  }

  /// What an empty text is.
  public enum EmptyTexts: Hashable, Sendable {
    /// A text.
    case kept
    /// NULL.
    case null
    /// NULL in these columns.
    case nullIn(Set<String>)
  }

  /// What happens to the rows that an import does not mention.
  public enum MergeMode: String, Hashable, Sendable, CaseIterable {
    /// They stay; a column that a row does not mention keeps its value.
    case merge
    /// They go; a column that a row does not mention keeps its value.
    case mergeAndDeleteMissing
    /// They go; a column that a row does not mention takes the schema's default.
    case replace
  }

  /// The table's name.
  public var table: String
  /// The columns that identify a row, over which the table has a unique index; empty for the primary key.
  public var key: [String]
  /// How members find columns that are not in ``columns``.
  public var names: NameStyle
  /// Columns with the members that fill them.
  public var columns: [String: ColumnMapping]
  /// Columns that have the same value in every row.
  public var constants: [String: SeedValue]
  /// What columns of new rows take where the member is missing; rows that exist keep what they have.
  public var defaults: [String: SeedValue]
  /// What an empty text is, in columns without a conversion.
  public var emptyTexts: EmptyTexts
  /// Rows of other tables that lie within this row's object.
  public var relations: [RelationMapping]
  /// What happens to rows that the import does not mention. Rows that lie within others are merged here; which of
  /// them stay with their parent is for ``RelationMapping/mode`` to say.
  public var mode: MergeMode

  /// A mapping by equal names, unless told otherwise.
  public init(
    _ table: String, key: [String] = [], names: NameStyle = .identity,
    columns: [String: ColumnMapping] = [:], constants: [String: SeedValue] = [:],
    defaults: [String: SeedValue] = [:], emptyTexts: EmptyTexts = .kept, relations: [RelationMapping] = [],
    mode: MergeMode = .merge
  ) {
    (self.table, self.key, self.names, self.columns) = (table, key, names, columns)
    (self.constants, self.defaults, self.relations) = (constants, defaults, relations)
    (self.emptyTexts, self.mode) = (emptyTexts, mode)
  }
}

extension TableMapping {
  /// A column that is given both a member and a constant.
  var columnFilledTwice: String? {
    let listed = Set(columns.keys.map { $0.lowercased() })
    return constants.keys.sorted().first { listed.contains($0.lowercased()) }
  }
}

extension TableMapping: ExpressibleByStringLiteral {
  /// The table of that name, by equal names.
  public init(stringLiteral value: String) { self.init(value) }
}

/// What fills a column.
public struct ColumnMapping: Sendable {
  /// The member, from the row's object. `$` is the row's value itself, for arrays of plain values; if an object
  /// stands there, the column takes the member of its own name.
  public var member: MemberPath
  /// What is done to its value.
  public var conversion: ImportConversion

  /// The value at a path, converted.
  public static func from(_ member: MemberPath, _ conversion: ImportConversion = .automatic) -> ColumnMapping
  { ColumnMapping(member: member, conversion: conversion) }
}

extension ColumnMapping: ExpressibleByStringLiteral {
  /// The value at a path, as it is.
  public init(stringLiteral value: String) { self = .from(MemberPath(value)) }
}

extension TableMapping.NameStyle {
  /// The column that a member of that name goes to.
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
    var result = ""
    for character in name {
      if character.isUppercase, !result.isEmpty { result.append("_") }
      result += character.lowercased()
    }
    return result
  }
}
