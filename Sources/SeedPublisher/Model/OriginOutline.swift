package import SeedDatabase
package import SeedFormat

/// The names of an origin's tables, columns, indexes and views. The outline from the newest model's creation is stored
/// beside the models. Later additions are offered to the operator; parts that a model excludes stay excluded.
package struct OriginOutline: Hashable, Sendable {
  /// The columns of each table, empty for a virtual table.
  package var tables: [String: [String]]
  package var indexes: [String]
  package var views: [String]
  /// The table of each index. Empty in an outline read from a file.
  private var owners: [String: String]

  package init(
    tables: [String: [String]], indexes: [String] = [], views: [String] = [], owners: [String: String] = [:]
  ) {
    (self.tables, self.indexes, self.views, self.owners) = (tables, indexes, views, owners)
  }

  /// Reads only the schema, no rows.
  package init(_ connection: Connection) throws {
    let log = try LogParts(connection)
    let objects = try connection.rows(
      """
      SELECT object.type, object.name, list.type, object.tbl_name FROM sqlite_schema AS object
      LEFT JOIN pragma_table_list AS list ON list.name = object.name AND list.schema = 'main'
      WHERE object.sql IS NOT NULL AND object.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY object.rowid
      """
    ).filter { !log.owns($0[1].text) }
    func names(_ type: String) -> [String] { objects.filter { $0[0].text == type }.map { $0[1].text } }
    self.init(tables: [:], indexes: names("index"), views: names("view"))
    for index in objects where index[0].text == "index" { owners[index[1].text] = index[3].text }
    for table in objects where table[0].text == "table" && table[2] != .text("shadow") {
      let isVirtual = table[2] == .text("virtual")
      tables[table[1].text] = isVirtual ? [] : try Self.columns(of: table[1].text, connection)
    }
  }

  package func knowing(_ parts: OriginGain, of now: OriginOutline) -> OriginOutline {
    var known = self
    for table in parts.tables { known.tables[table] = now.tables[table] }
    for column in parts.columns { known.tables[column.table, default: []].append(column.name) }
    known.indexes += parts.indexes
    known.views += parts.views
    return known
  }

  /// Whether the index belongs to one of the tables, given in lower case. True if its table is unknown.
  fileprivate func isIndex(_ name: String, ofOneOf tables: Set<String>) -> Bool {
    owners[name].map { tables.contains($0.lowercased()) } ?? true
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", .text(table))
      .map { $0[0].text }
  }
}

/// Parts of an origin that are new since the newest model was made and that the model does not have.
package struct OriginGain: Hashable, Sendable {
  package var tables: [String] = []
  package var columns: [Column] = []
  package var indexes: [String] = []
  package var views: [String] = []

  package struct Column: Hashable, Sendable {
    package let table: String
    package let name: String
  }

  package init() {}

  /// Compares names like SQLite, ignoring case.
  package init(_ now: OriginOutline, since known: OriginOutline, without schema: DatabaseSchema) {
    let old = Names(known, schema)
    tables = now.tables.keys.sorted().filter { !old.tables.contains($0.lowercased()) }
    // The columns and indexes of an excluded table are excluded too.
    columns = now.tables.sorted { $0.key < $1.key }.filter { schema.table($0.key) != nil }
      .flatMap { table, names in names.map { Column(table: table, name: $0) } }
      .filter { !old.columns.contains($0.folded) }
    let present = Set((schema.tables.map(\.name) + tables).map { $0.lowercased() })
    indexes = now.indexes.filter {
      !old.parts.contains($0.lowercased()) && now.isIndex($0, ofOneOf: present)
    }
    views = now.views.filter { !old.parts.contains($0.lowercased()) }
  }

  package var isEmpty: Bool { self == OriginGain() }

  /// The names that operators use, such as `park` and `shop.phone`.
  package var names: [String] { tables + views + columns.map(\.dotted) + indexes }

  /// The parts with that name. The name of an existing table selects all its new columns.
  package func parts(named name: String) -> OriginGain {
    func isNamed(_ other: String) -> Bool { other.lowercased() == name.lowercased() }
    var parts = OriginGain()
    parts.tables = tables.filter(isNamed)
    parts.columns = columns.filter { isNamed($0.dotted) || isNamed($0.table) }
    parts.indexes = indexes.filter(isNamed)
    parts.views = views.filter(isNamed)
    return parts
  }

  package func without(_ other: OriginGain) -> OriginGain {
    var gain = OriginGain()
    gain.tables = tables.filter { !other.tables.contains($0) }
    gain.columns = columns.filter { !other.columns.contains($0) }
    gain.indexes = indexes.filter { !other.indexes.contains($0) }
    gain.views = views.filter { !other.views.contains($0) }
    return gain
  }

  package var count: Int { tables.count + columns.count + indexes.count + views.count }

  /// Lists the parts as `the table "shop" and the column "park"."open"`.
  package var words: String {
    let all =
      Self.named("table", tables) + Self.named("view", views)
      + columns.map { "the column \"\($0.table)\".\"\($0.name)\"" } + Self.named("index", indexes)
    let shown = all.prefix(Self.namedParts)
    let rest = all.count > shown.count ? ["\(all.count - shown.count) more"] : []
    let list = shown + rest
    return list.count < 2
      ? list.joined() : list.dropLast().joined(separator: ", ") + " and " + (list.last ?? "")
  }

  package var warning: String {
    "the origin has gained \(words), and clients do not get it: 'seedbank model new' adds it in a new model,"
      + " 'seedbank model skip' leaves it out for good, or the named parts"
  }

  private static let namedParts = 5

  private static func named(_ kind: String, _ names: [String]) -> [String] {
    names.map { "the \(kind) \"\($0)\"" }
  }
}

extension OriginGain.Column {
  fileprivate var dotted: String { "\(table).\(name)" }

  fileprivate var folded: Self { Self(table: table.lowercased(), name: name.lowercased()) }
}

/// The names that are not new, in lower case: those of the known outline and of the model.
private struct Names {
  var tables: Set<String>
  var columns: Set<OriginGain.Column>
  var parts: Set<String>

  init(_ known: OriginOutline, _ schema: DatabaseSchema) {
    let models = schema.tables.map { ($0.name, $0.columnNames + $0.generated) }
    let all = known.tables.map { ($0.key, $0.value) } + models
    let search = schema.searchTables.map(\.name)
    tables = Set((all.map(\.0) + search).map { $0.lowercased() })
    columns = Set(
      all.flatMap { table, names in names.map { OriginGain.Column(table: table, name: $0).folded } })
    parts = Set((known.indexes + known.views + schema.indexes + schema.views).map { $0.lowercased() })
  }
}

// MARK: JSON

extension OriginOutline {
  package var json: JSONValue {
    [
      "tables": .object(
        tables.sorted { $0.key < $1.key }.map { JSONMember($0, JSONValue(strings: $1)) }),
      "indexes": JSONValue(strings: indexes.sorted()), "views": JSONValue(strings: views.sorted()),
    ]
  }

  /// Reads ``json``. Ignores a comment beside it.
  package init(_ json: JSONValue) throws(MalformedJSON) {
    var object = try JSONObjectReader(json, at: "")
    _ = object.takeIfPresent("$comment")
    var named = try object.object("tables")
    var tables: [String: [String]] = [:]
    for name in named.unread.map(\.name) { tables[name] = try named.strings(name) }
    self.init(tables: tables, indexes: try object.strings("indexes"), views: try object.strings("views"))
    try object.refuseUnread()
  }
}
