package import SeedDatabase
package import SeedFormat
package import SeedSystem

/// The names of an origin's tables, columns, indexes and views. When the newest model is made, the outline is stored
/// beside the models. Seedbank then reports later additions to the operator, but not the parts that the model skipped.
package struct OriginOutline: Hashable, Sendable {
  /// The columns of each table, empty for a virtual table.
  package var tables: [String: [String]]
  package var indexes: [String]
  package var views: [String]
  /// The table of each index. Empty in an outline read from a file.
  private var owners: [String: String]

  package init(
    tables: [String: [String]], indexes: [String] = [], views: [String] = [], owners: [String: String] = [:]
  ) { (self.tables, self.indexes, self.views, self.owners) = (tables, indexes, views, owners) }

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

  package func knowing(_ gain: OriginGain, of now: OriginOutline) -> OriginOutline {
    var known = self
    for part in gain.parts {
      switch part.kind {
      case .table: known.tables[part.name] = now.tables[part.name]
      case .column: known.tables[part.table, default: []].append(part.name)
      case .index: known.indexes.append(part.name)
      case .view: known.views.append(part.name)
      }
    }
    return known
  }

  /// Returns this outline with the parts of a later one. Keeps parts that the later one lacks, because a table that was
  /// skipped may be missing for a while, or in the file that `--from` names.
  package func merging(_ now: OriginOutline) -> OriginOutline {
    func union(_ old: [String], _ new: [String]) -> [String] { old + new.filter { !old.contains($0) } }
    return OriginOutline(
      tables: tables.merging(now.tables, uniquingKeysWith: union), indexes: union(indexes, now.indexes),
      views: union(views, now.views), owners: now.owners)
  }

  /// Whether the index belongs to one of the tables (given by folded name). True if the index's table is unknown.
  fileprivate func isIndex(_ name: String, ofOneOf tables: Set<String>) -> Bool {
    owners[name].map { tables.contains($0.foldedName) } ?? true
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", .text(table))
      .map { $0[0].text }
  }

  package var json: JSONValue {
    [
      "tables": .object(tables.sorted { $0.key < $1.key }.map { JSONMember($0, JSONValue(strings: $1)) }),
      "indexes": JSONValue(strings: indexes.sorted()), "views": JSONValue(strings: views.sorted()),
    ]
  }

  /// Reads ``json``. Ignores a `$comment` member.
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

/// The parts that were added to an origin after the newest model was made, and that the model lacks.
package struct OriginGain: Hashable, Sendable {
  package private(set) var parts: [Part] = []

  package struct Part: Hashable, Sendable {
    enum Kind { case table, view, column, index }

    let kind: Kind
    let name: String
    /// For a column, its table; for other parts, their own name.
    let table: String

    init(_ kind: Kind, _ name: String, of table: String? = nil) {
      (self.kind, self.name, self.table) = (kind, name, table ?? name)
    }

    /// The name that operators use, such as `park` or `shop.phone`.
    fileprivate var path: String { kind == .column ? "\(table).\(name)" : name }

    fileprivate var words: String {
      "the \(kind) " + (kind == .column ? "\"\(table)\".\"\(name)\"" : "\"\(name)\"")
    }
  }

  package init() {}

  /// Compares names like SQLite, ignoring the case of ASCII letters.
  package init(_ now: OriginOutline, since known: OriginOutline, without schema: DatabaseSchema) {
    let models = schema.tables.map { ($0.name, $0.columnNames + $0.generated) }
    let tables = known.tables.map { ($0.key, $0.value) } + models
    func folded(_ names: [String]) -> Set<String> { Set(names.map { $0.foldedName }) }
    let oldColumns = Dictionary(tables.map { ($0.foldedName, folded($1)) }) { $0.union($1) }
    let oldTables = folded(tables.map(\.0) + schema.searchTables.map(\.name))
    let oldParts = folded(known.indexes + known.views + schema.indexes + schema.views)
    let new = now.tables.keys.sorted().filter { !oldTables.contains($0.foldedName) }
    let present = folded(schema.tables.map(\.name) + new)
    func isNew(_ name: String) -> Bool { !oldParts.contains(name.foldedName) }
    parts = new.map { Part(.table, $0) } + now.views.filter(isNew).map { Part(.view, $0) }
    // The columns and indexes of an excluded table are excluded too.
    for (table, names) in now.tables.sorted(by: { $0.key < $1.key }) where schema.table(table) != nil {
      let old = oldColumns[table.foldedName] ?? []
      parts += names.filter { !old.contains($0.foldedName) }.map { Part(.column, $0, of: table) }
    }
    parts += now.indexes.filter { isNew($0) && now.isIndex($0, ofOneOf: present) }.map { Part(.index, $0) }
  }

  package var isEmpty: Bool { parts.isEmpty }

  package var count: Int { parts.count }

  package var names: [String] { parts.map(\.path) }

  /// Returns the parts with that name. The name of an existing table selects all its new columns.
  package func parts(named name: String) -> OriginGain {
    filtered { [$0.path, $0.table].contains { $0.foldedName == name.foldedName } }
  }

  package func without(_ other: OriginGain) -> OriginGain { filtered { !other.parts.contains($0) } }

  private func filtered(_ isIncluded: (Part) -> Bool) -> OriginGain {
    var gain = self
    gain.parts = parts.filter(isIncluded)
    return gain
  }

  /// A list of the parts, such as `the table "shop" and the column "park"."open"`.
  package var words: String {
    let shown = parts.prefix(Self.namedParts).map(\.words)
    let list = shown + (count > shown.count ? ["\(count - shown.count) more"] : [])
    return list.count < 2
      ? list.joined() : list.dropLast().joined(separator: ", ") + " and " + (list.last ?? "")
  }

  package var warning: String {
    "the origin has gained \(words), and clients do not get it: 'seedbank model new' adds it in a new model,"
      + " and 'seedbank model skip' permanently excludes it ('seedbank model skip NAME…' excludes only the parts that"
      + " you name)"
  }

  private static let namedParts = 5
}

/// The file with the origin's outline from when the newest model was made. Without it, no additions are reported.
package enum KnownOrigin {
  static let fileName = "known-origin.json"

  private static let comment =
    "The origin's tables when the newest model was made. Seedbank reports later additions."
    + " Made by 'seedbank init' and 'seedbank model'."

  package static func path(inDataset folder: String) -> String { "\(folder)/\(fileName)" }

  static func text(_ outline: OriginOutline) -> String {
    JSONValue.object([JSONMember("$comment", .string(comment))] + (outline.json.members ?? [])).prettyText
  }

  package static func write(_ outline: OriginOutline, inDataset folder: String) throws(FileError) {
    try DurableFile.write(Array(text(outline).utf8), to: path(inDataset: folder))
  }
}
