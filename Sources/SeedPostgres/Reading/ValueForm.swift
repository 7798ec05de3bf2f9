import SeedDatabase

enum ValueForm: Hashable, Sendable {
  case bool
  case integer(bytes: Int)
  case real
  case text
  case blob
  /// The digits of a PostgreSQL `numeric`, for a column of numbers.
  case digits(Affinity)
  /// Other strings, for a column of numbers.
  case spelled(Affinity)
  /// A timestamp for a column of numbers: microseconds since 1970 as INTEGER, otherwise seconds.
  case time(Affinity)
}

struct ProjectedColumn: Hashable, Sendable {
  let sql: String
  /// The ORDER BY expression of a key column.
  let order: String
  let form: ValueForm

  /// Orders binary keys as the client does. COLLATE "C" would compare strings in the database's encoding.
  var orderInUTF8: String { form == .text ? "convert_to(\(sql), 'UTF8')" : order }

  /// Returns nil if the type does not suit the column. `value` is the column in SQL.
  init?(_ value: String, _ type: ColumnType, for column: ColumnSchema) {
    switch (type, column.affinity) {
    case (.refused, _): return nil
    case (.bool, .text): self.init(text: "\(value)::int::text", column)
    case (.bool, _): self.init(value, .bool)
    case (.integer, .text), (.oid, .text), (.float4, .text), (.float8, .text), (.numeric, .text),
      (.numeric, .blob):
      self.init(text: "\(value)::text", column)
    case (.integer, .real): self.init("\(value)::float8", .real, order: value)
    case (.oid, .real): self.init("\(value)::int8::float8", .real, order: value)
    case (.integer(let bytes), _): self.init(value, .integer(bytes: bytes))
    case (.oid, _): self.init("\(value)::int8", .integer(bytes: 8), order: value)
    // Converts through the shortest text, so that 0.1 stays 0.1 and does not become 0.10000000149.
    case (.float4, _): self.init("\(value)::text::float8", .real, order: value)
    case (.float8, _): self.init(value, .real)
    case (.numeric, let affinity): self.init("\(value)::text", .digits(affinity), order: value)
    case (.address, _): self.init(text: "abbrev(\(value))", column)
    case (.uuid, .blob) where column.declaredType.uppercased().contains("BLOB"): self.init(value, .blob)
    case (.uuid, let affinity) where !affinity.isOfNumbers: self.init("\(value)::text", .text, order: value)
    case (.blob, let affinity) where affinity.isOfNumbers: return nil
    case (.blob, _): self.init(value, .blob)
    case (.timestamp(let isUTC), .text), (.timestamp(let isUTC), .blob):
      self.init(text: Self.moment(value, isUTC: isUTC), column)
    case (.timestamp, let affinity): self.init(value, .time(affinity))
    case (.structured, _): self.init(text: "to_jsonb(\(value))::text", column)
    case (.text, _), (.uuid, _): self.init(text: "\(value)::text", column)
    }
  }

  private init(_ sql: String, _ form: ValueForm, order: String? = nil) {
    (self.sql, self.order, self.form) = (sql, order ?? sql, form)
  }

  /// The order follows the client's collation, not the database's.
  private init(text: String, _ column: ColumnSchema) {
    (sql, form) = (text, column.affinity.isOfNumbers ? .spelled(column.affinity) : .text)
    order =
      switch column.collation {
      case .binary: "(\(text)) COLLATE \"C\""
      // In the collation C, lower() changes only ASCII letters, like NOCASE.
      case .noCase: "lower((\(text)) COLLATE \"C\")"
      case .rightTrim: "rtrim((\(text)) COLLATE \"C\", ' ')"
      }
  }

  /// Formats as ISO 8601 with microseconds. Infinity and years BC keep PostgreSQL's form: to_char distorts them.
  private static func moment(_ value: String, isUTC: Bool) -> String {
    let (local, zone) = isUTC ? ("\(value) AT TIME ZONE 'UTC'", "\"Z\"") : (value, "")
    return "CASE WHEN isfinite(\(value)) AND \(value) >= '0001-01-01 00:00:00' THEN "
      + "to_char(\(local), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\(zone)') ELSE \(value)::text END"
  }
}
