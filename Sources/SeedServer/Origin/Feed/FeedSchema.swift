import SeedDatabase
import SeedFormat
import SeedTrust

/// What the models say of a feed's tables: their columns' types, their keys, and which of them are wanted.
struct FeedSchema {
  struct Table {
    let name: String
    /// The models' columns, each once.
    fileprivate(set) var columns: [ColumnSchema]
    /// The key of the newest model that takes the table as it is; empty where none does.
    let key: [(column: String, collation: Collation)]

    init(_ name: String, columns: [ColumnSchema] = [], key: [(column: String, collation: Collation)] = []) {
      (self.name, self.columns, self.key) = (name, columns, key)
    }

    /// Differs where the same documents would become other rows.
    var text: String {
      let columns = columns.map {
        "\($0.name) \($0.declaredType) \($0.collation.rawValue) \($0.isNotNull) \($0.defaultSQL ?? "")"
      }
      let parts = columns + ["key"] + key.map { "\($0.column) \($0.collation.rawValue)" }
      return parts.joined(separator: ", ")
    }
  }

  /// By name in lower case.
  private var tables: [String: Table] = [:]
  /// All SELECTs of the models, in lower case.
  private var selects = ""

  /// Of the newest models first: what they say of a column counts.
  init(_ plans: [SeriesPlan]) {
    for plan in plans.reversed() {
      for table in plan.schema.tables where plan.newest.projections[table.name] == nil { add(table) }
      selects += plan.newest.projections.values.joined(separator: "\n").lowercased()
    }
  }

  private mutating func add(_ table: TableSchema) {
    let name = table.name.lowercased()
    guard var known = tables[name] else {
      let key = Set(table.key)
      tables[name] = Table(
        table.name, columns: table.columns.enumerated().map { key.contains($0) ? $1.nullable : $1 },
        key: zip(table.keyNames, table.keyCollations).map { ($0, $1) })
      return
    }
    let names = Set(known.columns.map { $0.name.lowercased() })
    known.columns += table.columns.filter { !names.contains($0.name.lowercased()) }
    tables[name] = known
  }

  /// The tables that a model takes as they are, by name.
  var required: [Table] { tables.values.sorted { $0.name < $1.name } }

  /// What is known of a table of that name.
  func table(_ name: String) -> Table { tables[name.lowercased()] ?? Table(name) }

  /// Whether a model takes the table, or a SELECT may read it.
  func wants(_ name: String) -> Bool {
    tables[name.lowercased()] != nil || selects.contains(name.lowercased())
  }

  /// Differs where another model would want other rows.
  var fingerprint: String {
    let texts = required.map { "\($0.name): \($0.text)" } + [selects]
    return SHA256Digest.of(JSONValue.array(texts.map { .string($0) }).bytes).hex
  }
}

extension ColumnSchema {
  /// Where it may be NULL: an empty field of a key is no empty text but a mistake, which is told where it stands.
  fileprivate var nullable: ColumnSchema {
    ColumnSchema(name, declaredType: declaredType, collation: collation)
  }

  /// As a document's values are read: an empty field of a column with a default is no empty text.
  var received: ColumnSchema { isNotNull && defaultSQL != nil ? nullable : self }
}
