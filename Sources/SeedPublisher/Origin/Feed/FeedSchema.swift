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
    /// The declared types of other columns that SELECTs may read, by name in lower case.
    fileprivate(set) var types: [String: String] = [:]
    /// Columns that files may lack, by name in lower case.
    fileprivate(set) var optional: Set<String> = []

    init(_ name: String, columns: [ColumnSchema] = [], key: [(column: String, collation: Collation)] = []) {
      (self.name, self.columns, self.key) = (name, columns, key)
    }

    /// Differs where the same documents would become other rows.
    var text: String {
      let columns = columns.map {
        "\($0.name) \($0.declaredType) \($0.collation.rawValue) \($0.isNotNull) \($0.defaultSQL ?? "")"
      }
      let others = types.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let keys = key.map { "\($0.column) \($0.collation.rawValue)" }
      let parts = columns + ["key"] + keys + ["types"] + others + ["optional"] + optional.sorted()
      return parts.joined(separator: ", ")
    }
  }

  /// By name in lower case.
  private var tables: [String: Table] = [:]
  /// Types that the models' tables with a SELECT give, and what the operator says; by names in lower case.
  private var types: [String: [String: String]] = [:]
  private var optional: [String: Set<String>] = [:]
  /// All SELECTs of the models, in lower case.
  private var selects = ""
  private var wantsAll = false

  /// Of the newest models first: what they say of a column counts.
  init(_ plans: [SeriesPlan], _ said: [FeedTable] = []) {
    for plan in plans.reversed() {
      for table in plan.schema.tables {
        plan.newest.projections[table.name] == nil ? add(table) : addTypes(of: table)
      }
      selects += plan.newest.projections.values.joined(separator: "\n").lowercased()
    }
    for table in said { add(table) }
  }

  /// Where nobody has said anything yet, and everything is wanted.
  static var unknown: FeedSchema {
    var schema = FeedSchema([])
    schema.wantsAll = true
    return schema
  }

  /// What a SELECT makes has mostly the type of what it is made of. A type that takes anything tells nothing.
  private mutating func addTypes(of table: TableSchema) {
    let telling = table.columns.filter { $0.affinity != .blob }
    let own = Dictionary(telling.map { ($0.name.lowercased(), $0.declaredType) }) { first, _ in first }
    types[table.name.lowercased(), default: [:]].merge(own) { newer, _ in newer }
  }

  private mutating func add(_ said: FeedTable) {
    let (name, own) = (said.table.lowercased(), said.types.map { ($0.key.lowercased(), $0.value.rawValue) })
    types[name, default: [:]].merge(own) { _, said in said }
    optional[name] = Set(said.optionalColumns.map { $0.lowercased() })
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
  var required: [Table] { tables.values.map { table($0.name) }.sorted { $0.name < $1.name } }

  /// What is known of a table of that name.
  func table(_ name: String) -> Table {
    var table = tables[name.lowercased()] ?? Table(name)
    table.types = types[name.lowercased()] ?? [:]
    table.optional = optional[name.lowercased()] ?? []
    return table
  }

  /// Whether a model takes the table, or a SELECT may read it.
  func wants(_ name: String) -> Bool {
    wantsAll || tables[name.lowercased()] != nil || selects.contains(name.lowercased())
  }

  /// Differs where another model would want other rows.
  var fingerprint: String {
    let names = Set(tables.keys).union(types.keys).union(optional.keys).sorted()
    let texts = names.map { "\($0): \(table($0).text)" } + [selects]
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
