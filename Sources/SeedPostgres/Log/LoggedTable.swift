import SeedDatabase

/// A table whose writers are noted.
struct LoggedTable: Hashable {
  let schema: String
  let name: String
  /// The columns that name a row; none where only that the table was written is noted.
  var keys: [LogKey] = []
  let noting: Noting

  /// Who notes.
  enum Noting: String {
    /// Triggers that fire once for each statement.
    case statement
    /// Triggers that fire for each row. Where rows can be written by way of another table, or by replication, no others fire.
    case row
  }

  /// The table in SQL.
  var sql: String { "\(quoted(schema)).\(quoted(name))" }

  /// For people who look at that schema.
  func shownName(in schema: String) -> String { schema == self.schema ? name : "\(self.schema).\(name)" }
}

/// A column of a key, and how a log stores it. Numbers and texts are stored in the widest type of their kind: a writer's
/// statement must not fail because a column was made wider.
struct LogKey: Hashable {
  let name: String
  /// Which type it is, whatever the search path.
  let type: String
  /// The column's type in the log.
  let stored: String
  /// What makes the column's own type of it again, in a session that reads.
  let cast: String

  private static let integers: Set = ["int2", "int4", "int8", "oid"]
  private static let texts: Set = ["text", "varchar", "bpchar", "name"]
  /// Types of which equal values are always the same value, besides enums.
  private static let others: Set = [
    "bool", "uuid", "bytea", "date", "time", "timestamp", "timestamptz", "inet", "cidr", "macaddr",
    "macaddr8",
  ]

  /// `nil` where equal values of that type may be written in two ways, such as 1.0 and 1.00.
  init?(
    name: String, type: String, base: String, modifier: Int, isEnum: Bool, isDeterministic: Bool, cast: String
  ) {
    guard isDeterministic else { return nil }
    switch base {
    case _ where Self.integers.contains(base): stored = "bigint"
    case _ where Self.texts.contains(base) || isEnum: stored = Self.text
    case _ where Self.others.contains(base): stored = base
    case "numeric" where modifier >= 0: stored = "numeric"
    default: return nil
    }
    (self.name, self.type, self.cast) = (name, type, cast)
  }

  private static let text = "text COLLATE \"C\""

  /// The column of a row, as the log takes it.
  func value(of row: String) -> String {
    let column = "\(row).\(quoted(name))"
    switch stored {
    case "bigint": return "\(column)::bigint"
    case Self.text: return "\(column)::\(Self.text)"
    default: return column
    }
  }
}
