public import SeedFormat

/// Where a document's rows are, and which tables they fill.
///
/// ```swift
/// let mapping = ImportMapping(
///   TableMapping("person", names: .snakeToCamel, columns: ["born": .from("birth_date", .date())]),
///   rows: "$.data.items")
/// let timetable = ImportMapping(lists: [.init("stops", rows: "$.stops"), .init("times", rows: "$.stopTimes")])
/// ```
public struct ImportMapping: Sendable {
  /// The arrangement of rows at a list's path.
  public enum Layout: Hashable, Sendable {
    /// An array of objects.
    case array
    /// An object whose members are rows; the members' names fill a column.
    case dictionary(keyColumn: String)
    /// One object that is the only row.
    case single
    /// NDJSON: the document is one object after another.
    case lines
    /// CSV: the document consists of records; each is read as an object with the header's names.
    case csv(CSVFormat = CSVFormat())
  }

  /// Rows of one kind within a document.
  public struct List: Sendable {
    /// How a row of the document becomes a row of a table.
    public var table: TableMapping
    /// The path of the rows in a document.
    public var rows: MemberPath
    /// How the document arranges its rows.
    public var layout: Layout
    /// Conditions that a row must meet. Several lists may share a path if all but one have conditions: a row goes to
    /// the first list that takes it, and is skipped if no list does.
    public var conditions: [RowCondition]
    /// The name of the list's document without directories and `.gz`, or a pattern for several, such as `stops*.txt`.
    /// `nil` for all documents that no other list names.
    public var file: String?
    /// Whether the list, or its document, may be missing.
    public var isOptional: Bool

    /// Creates a list, by default an array at the document's top.
    public init(
      _ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array,
      where conditions: [RowCondition] = [], file: String? = nil, isOptional: Bool = false
    ) {
      (self.table, self.rows, self.layout, self.conditions) = (table, rows, layout, conditions)
      (self.file, self.isOptional) = (file, isOptional)
    }
  }

  /// The lists, which may be in any order in the document; one pass reads them all.
  public var lists: [List]

  /// Creates a mapping of one list, by default an array at the document's top.
  public init(_ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array) {
    lists = [List(table, rows: rows, layout: layout)]
  }

  /// Creates a mapping of several lists, none nested in another. A document that lacks a list is rejected unless
  /// the list is optional.
  public init(lists: [List]) { self.lists = lists }
}

/// A condition for a list's rows.
public struct RowCondition: Hashable, Sendable {
  /// The member, relative to the row's object; a missing one counts as null.
  public var member: MemberPath
  /// The allowed plain values; `true` is 1.
  public var values: [SeedValue]

  /// Requires that the member has one of these values.
  public init(_ member: MemberPath, in values: [SeedValue]) { (self.member, self.values) = (member, values) }
}
