import SeedDatabase

struct LoggedTable: Hashable {
  let schema: String
  let name: String
  /// The columns that identify a row; empty if only the fact of a write is logged.
  var keys: [LogKey] = []
  let noting: Noting

  enum Noting: String {
    case statement
    /// Triggers that fire per row. Only these fire for writes through another table or by replication.
    case row
  }

  var sql: String { "\(quoted(schema)).\(quoted(name))" }

  /// The name shown to people who work in `schema`.
  func shownName(in schema: String) -> String { schema == self.schema ? name : "\(self.schema).\(name)" }
}

/// A key column. Its type in the log is the widest of its kind, because a write must not fail after a column was
/// widened.
struct LogKey: Hashable {
  let name: String
  /// The type's name, independent of the search path.
  let type: String
  let stored: String
  /// The column's own type, for casts in a reading session.
  let cast: String

  private static let integers: Set = ["int2", "int4", "int8", "oid"]
  private static let texts: Set = ["text", "varchar", "bpchar", "name"]
  /// Further types whose equal values are identical, besides enums.
  private static let others: Set = [
    "bool", "uuid", "bytea", "date", "time", "timestamp", "timestamptz", "inet", "cidr", "macaddr",
    "macaddr8",
  ]

  /// Returns nil for a type with several forms of equal values, such as 1.0 and 1.00.
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

  func value(of row: String) -> String {
    let column = "\(row).\(quoted(name))"
    switch stored {
    case "bigint": return "\(column)::bigint"
    case Self.text: return "\(column)::\(Self.text)"
    default: return column
    }
  }
}
