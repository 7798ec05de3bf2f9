import SeedDatabase
import SeedFormat
import SeedTrust

/// The column types and keys that models declare for a feed's tables, and which of the tables the models need.
struct FeedSchema {
  struct Table {
    fileprivate(set) var name: String
    fileprivate(set) var columns: [ColumnSchema] = []
    /// The key in the newest model that reads the table without a SELECT; empty if no model does.
    fileprivate(set) var key: [(column: String, collation: Collation)] = []
    fileprivate(set) var isRequired = false
    /// The declared types, by folded name, of other columns that SELECTs may read.
    fileprivate(set) var types: [String: String] = [:]
    /// The folded names of columns that files may lack.
    fileprivate(set) var optional: Set<String> = []

    init(_ name: String) { self.name = name }

    /// A text that differs if the same documents would become different rows.
    var text: String { "\(columns) \(key) \(types.sorted { $0.key < $1.key }) \(optional.sorted())" }
  }

  /// The tables by folded name.
  private var tables: [String: Table] = [:]
  /// All words in the models' SELECTs, folded like names; `nil` without models, because then every table is needed.
  private var words: Set<String>?

  /// The newest model's definition of a column wins.
  init(_ plans: [SeriesPlan], _ configured: [FeedTable] = []) {
    for plan in plans.reversed() {
      for table in plan.schema.tables {
        plan.newest.projections[table.name] == nil ? add(table) : addTypes(of: table)
      }
    }
    for configured in configured { add(configured) }
    guard !plans.isEmpty else { return }
    words = Set(plans.flatMap(\.newest.projections.values).flatMap(Self.words))
  }

  /// An unquoted token may include dots, as in `main.stops`.
  static func words(_ sql: String) -> [String] {
    let sql = Array(sql.utf8)
    return SQLScanner.tokens(of: sql).flatMap { token in
      let name = token.name(in: sql).foldedName
      return token.isQuoted ? [name] : name.split(separator: ".").map(String.init)
    }
  }

  /// Gives each source column the type of the column with the same name in a SELECT's result, because the two usually
  /// agree. Skips columns with BLOB affinity, which accept any value.
  private mutating func addTypes(of table: TableSchema) {
    let telling = table.columns.filter { $0.affinity != .blob }
    let own = Dictionary(telling.map { ($0.name.foldedName, $0.declaredType) }) { first, _ in first }
    change(table.name) { $0.types.merge(own) { newer, _ in newer } }
  }

  private mutating func add(_ configured: FeedTable) {
    let own = configured.types.map { ($0.key.foldedName, $0.value.rawValue) }
    change(configured.table) { table in
      table.types.merge(own) { _, configured in configured }
      table.optional = Set(configured.optionalColumns.map { $0.foldedName })
    }
  }

  private mutating func add(_ model: TableSchema) {
    change(model.name) { table in
      if !table.isRequired {
        (table.name, table.isRequired) = (model.name, true)
        table.key = zip(model.keyNames, model.keyCollations).map { ($0, $1) }
      }
      let keys = Set(table.key.map(\.column))
      let names = Set(table.columns.map { $0.name.foldedName })
      let new = model.columns.filter { !names.contains($0.name.foldedName) }
      // An empty key field is reported with its place instead of being read as an empty string.
      table.columns += new.map { keys.contains($0.name) ? $0.nullable : $0 }
    }
  }

  private mutating func change(_ name: String, _ body: (inout Table) -> Void) {
    body(&tables[name.foldedName, default: Table(name)])
  }

  var required: [Table] { tables.values.filter(\.isRequired).sorted { $0.name < $1.name } }

  func table(_ name: String) -> Table { tables[name.foldedName] ?? Table(name) }

  func includes(_ name: String) -> Bool {
    guard let words else { return true }
    return table(name).isRequired || words.contains(name.foldedName)
  }

  /// A hash that differs if the models need other rows.
  var fingerprint: String {
    let texts =
      tables.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" } + (words?.sorted() ?? [])
    return SHA256Digest.of(JSONValue(strings: texts).bytes).hex
  }
}
