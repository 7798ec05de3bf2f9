public import SeedFormat

/// Where the rows of a document are and what becomes of them.
///
/// ```swift
/// let mapping = ImportMapping(
///   TableMapping("person", names: .snakeToCamel, columns: ["born": .from("birth_date", .date())]),
///   rows: "$.data.items")
/// let timetable = ImportMapping(lists: [.init("stops", rows: "$.stops"), .init("times", rows: "$.stopTimes")])
/// ```
public struct ImportMapping: Sendable {
  /// How rows lie behind a list's path.
  public enum Layout: Hashable, Sendable {
    /// An array of objects.
    case array
    /// An object whose members are rows; their names go to a column.
    case dictionary(keyColumn: String)
    /// One object that is the row.
    case single
    /// NDJSON: one object after another, as the whole document.
    case lines
    /// One record after another, as the whole document; each is an object of its fields under the header's names.
    case csv(CSVFormat = CSVFormat())
  }

  /// Rows of one kind within a document.
  public struct List: Sendable {
    /// What a row becomes.
    public var table: TableMapping
    /// Where the rows lie in a document.
    public var rows: MemberPath
    /// How they lie there.
    public var layout: Layout
    /// What is true of its rows. Several lists may lie in one place, if all but one have conditions: a row goes to the
    /// first list whose conditions it meets, and is passed over where there is none.
    public var conditions: [RowCondition]
    /// The names of the documents that it is in, with `*` for any letters, as in `stops*.txt`; without folders and
    /// `.gz`. `nil` for all documents that no other list names.
    public var file: String?
    /// Whether it may be missing, with its document or within it.
    public var isOptional: Bool

    /// An array at the document's top, unless told otherwise.
    public init(
      _ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array,
      where conditions: [RowCondition] = [], file: String? = nil, isOptional: Bool = false
    ) {
      (self.table, self.rows, self.layout, self.conditions) = (table, rows, layout, conditions)
      (self.file, self.isOptional) = (file, isOptional)
    }
  }

  /// The document's lists, which may stand there in any order; all are taken in by one reading.
  public var lists: [List]

  /// A mapping of an array at the document's top, unless told otherwise.
  public init(_ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array) {
    lists = [List(table, rows: rows, layout: layout)]
  }

  /// A mapping of several lists, none of them within another. A document without one of them is refused, unless the
  /// list is optional.
  public init(lists: [List]) { self.lists = lists }
}

/// What a row must have, to be one of a list's.
public struct RowCondition: Hashable, Sendable {
  /// The member, from the row's object; one that is missing is taken for null.
  public var member: MemberPath
  /// The plain values that it may have; `true` is 1.
  public var values: [SeedValue]

  /// The member has one of these values.
  public init(_ member: MemberPath, in values: [SeedValue]) { (self.member, self.values) = (member, values) }
}
