import SeedDatabase
import SeedFormat
import SeedTrust

/// What the models say of a feed's tables: their columns' types, their keys, and which of them are wanted.
struct FeedSchema {
  struct Table {
    fileprivate(set) var name: String
    /// The models' columns, each once.
    fileprivate(set) var columns: [ColumnSchema] = []
    /// The key of the newest model that takes the table as it is; empty without one.
    fileprivate(set) var key: [(column: String, collation: Collation)] = []
    fileprivate(set) var isRequired = false
    /// The declared types of other columns that SELECTs may read, by name in lower case.
    fileprivate(set) var types: [String: String] = [:]
    /// Columns that files may lack, by name in lower case.
    fileprivate(set) var optional: Set<String> = []

    init(_ name: String) { self.name = name }

    /// Differs where the same documents would become other rows.
    var text: String { "\(columns) \(key) \(types.sorted { $0.key < $1.key }) \(optional.sorted())" }
  }

  /// By name in lower case.
  private var tables: [String: Table] = [:]
  /// All SELECTs of the models, in lower case; `nil` before there are models, when everything is wanted.
  private var selects: String?

  /// Of the newest models first: what they say of a column counts.
  init(_ plans: [SeriesPlan], _ said: [FeedTable] = []) {
    for plan in plans.reversed() {
      for table in plan.schema.tables {
        plan.newest.projections[table.name] == nil ? add(table) : addTypes(of: table)
      }
    }
    for said in said { add(said) }
    guard !plans.isEmpty else { return }
    selects = plans.flatMap(\.newest.projections.values).sorted().joined(separator: "\n").lowercased()
  }

  /// What a SELECT makes has mostly the type of what it is made of. A type that takes anything tells nothing.
  private mutating func addTypes(of table: TableSchema) {
    let telling = table.columns.filter { $0.affinity != .blob }
    let own = Dictionary(telling.map { ($0.name.lowercased(), $0.declaredType) }) { first, _ in first }
    change(table.name) { $0.types.merge(own) { newer, _ in newer } }
  }

  private mutating func add(_ said: FeedTable) {
    let own = said.types.map { ($0.key.lowercased(), $0.value.rawValue) }
    change(said.table) { table in
      table.types.merge(own) { _, said in said }
      table.optional = Set(said.optionalColumns.map { $0.lowercased() })
    }
  }

  private mutating func add(_ model: TableSchema) {
    change(model.name) { table in
      if !table.isRequired {
        (table.name, table.isRequired) = (model.name, true)
        table.key = zip(model.keyNames, model.keyCollations).map { ($0, $1) }
      }
      let keys = Set(table.key.map(\.column))
      let names = Set(table.columns.map { $0.name.lowercased() })
      let new = model.columns.filter { !names.contains($0.name.lowercased()) }
      table.columns += new.map { keys.contains($0.name) ? $0.nullable : $0 }
    }
  }

  private mutating func change(_ name: String, _ body: (inout Table) -> Void) {
    body(&tables[name.lowercased(), default: Table(name)])
  }

  var required: [Table] { tables.values.filter(\.isRequired).sorted { $0.name < $1.name } }

  func table(_ name: String) -> Table { tables[name.lowercased()] ?? Table(name) }

  /// Whether a model takes the table, or a SELECT may read it.
  func wants(_ name: String) -> Bool {
    guard let selects else { return true }
    return table(name).isRequired || selects.contains(name.lowercased())
  }

  /// Differs where another model would want other rows.
  var fingerprint: String {
    let texts = tables.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" } + [selects ?? ""]
    return SHA256Digest.of(JSONValue(strings: texts).bytes).hex
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
