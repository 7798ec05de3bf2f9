import SeedDatabase

/// How a column's values come over the wire, and what is made of them.
enum ValueForm: Hashable, Sendable {
  case bool
  case integer(bytes: Int)
  case real
  case text
  case blob
  /// A numeric's digits, for a column that holds numbers.
  case digits(Affinity)
  /// Any other text, for a column that holds numbers.
  case spelled(Affinity)
  /// A timestamp for a column that holds numbers: microseconds since 1970 as INTEGER, else seconds.
  case time(Affinity)
}

/// A client's column as PostgreSQL is asked for it.
struct ProjectedColumn: Hashable, Sendable {
  /// What is sent.
  let sql: String
  /// What its rows are ordered by, where it belongs to the key.
  let order: String
  let form: ValueForm

  /// Decides; `nil` where the type has no form for that column. The value is the column in SQL.
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
    // By way of its shortest text: 0.1 is to stay 0.1, and not become 0.10000000149.
    case (.float4, _): self.init("\(value)::text::float8", .real, order: value)
    case (.float8, _): self.init(value, .real)
    case (.numeric, let affinity):
      self.init("\(value)::text", .digits(affinity), order: value)
    case (.text, let affinity) where affinity.isOfNumbers: self.init(text: "\(value)::text", column, affinity)
    case (.structured, let affinity) where affinity.isOfNumbers:
      self.init(text: "to_jsonb(\(value))::text", column, affinity)
    case (.address, let affinity) where affinity.isOfNumbers:
      self.init(text: "abbrev(\(value))", column, affinity)
    case (.uuid, let affinity) where affinity.isOfNumbers: self.init(text: "\(value)::text", column, affinity)
    case (.address, _): self.init(text: "abbrev(\(value))", column)
    case (.uuid, .blob) where column.declaredType.uppercased().contains("BLOB"): self.init(value, .blob)
    case (.uuid, _): self.init("\(value)::text", .text, order: value)
    case (.blob, let affinity) where affinity.isOfNumbers: return nil
    case (.blob, _): self.init(value, .blob)
    case (.timestamp(let isUTC), .text), (.timestamp(let isUTC), .blob):
      self.init(text: Self.moment(value, isUTC: isUTC), column)
    case (.timestamp, let affinity): self.init(value, .time(affinity))
    case (.structured, _): self.init(text: "to_jsonb(\(value))::text", column)
    case (.text, _): self.init(text: "\(value)::text", column)
    }
  }

  private init(_ sql: String, _ form: ValueForm, order: String? = nil) {
    (self.sql, self.order, self.form) = (sql, order ?? sql, form)
  }

  /// In the order of the client's collation, whatever the database's is.
  private init(text: String, _ column: ColumnSchema, _ numbers: Affinity? = nil) {
    (sql, form) = (text, numbers.map(ValueForm.spelled) ?? .text)
    order =
      switch column.collation {
      case .binary: "(\(text)) COLLATE \"C\""
      // In the collation C, lower() knows the letters of ASCII alone, as NOCASE does.
      case .noCase: "lower((\(text)) COLLATE \"C\")"
      case .rightTrim: "rtrim((\(text)) COLLATE \"C\", ' ')"
      }
  }

  /// ISO 8601 to the microsecond. What to_char would falsify, years before Christ and infinity, stays as PostgreSQL writes it.
  private static func moment(_ value: String, isUTC: Bool) -> String {
    let (local, zone) = isUTC ? ("\(value) AT TIME ZONE 'UTC'", "\"Z\"") : (value, "")
    return
      "CASE WHEN isfinite(\(value)) AND \(value) >= '0001-01-01 00:00:00' THEN "
      + "to_char(\(local), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\(zone)') ELSE \(value)::text END"
  }
}
