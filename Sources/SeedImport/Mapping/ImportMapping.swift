/// Where the rows of a document are and what becomes of them.
///
/// ```swift
/// let mapping = ImportMapping(
///   TableMapping("person", names: .snakeToCamel, columns: ["born": .from("birth_date", .iso8601())]),
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

    /// An array at the document's top, unless told otherwise.
    public init(_ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array) {
      (self.table, self.rows, self.layout) = (table, rows, layout)
    }
  }

  /// The document's lists, which may stand there in any order; all are taken in by one reading.
  public var lists: [List]

  /// A mapping of an array at the document's top, unless told otherwise.
  public init(_ table: TableMapping, rows: MemberPath = "$", layout: Layout = .array) {
    lists = [List(table, rows: rows, layout: layout)]
  }

  /// A mapping of several lists, none of them within another. A document without one of them is refused.
  public init(lists: [List]) { self.lists = lists }
}

/// A way from a value through the members of nested objects: `$.data.items`, `address.city`, or `$`: itself.
public struct MemberPath: Hashable, Sendable {
  /// The members' names, outermost first.
  public let names: [String]

  /// A path of names that may hold dots themselves.
  public init(names: [String]) { self.names = names }

  /// A path as text; the leading `$.` may be left away.
  public init(_ text: String) {
    var parts = text.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    if parts.first == "$" { parts.removeFirst() }
    names = parts
  }
}

extension MemberPath: ExpressibleByStringLiteral {
  /// A path as text.
  public init(stringLiteral value: String) { self.init(value) }
}

extension MemberPath: CustomStringConvertible {
  /// The path with its leading `$`.
  public var description: String { (["$"] + names).joined(separator: ".") }
}
