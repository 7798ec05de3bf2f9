import SeedFormat

/// One reference from one table to another, by the names that both have in the file, with its SQL.
struct Reference {
  let child: TableLayout
  let parent: TableLayout
  let columns: [String]
  let parentColumns: [String]
  /// Where the referenced columns stand among the parent's; `nil` where one is generated.
  let parentPositions: [Int]?
  private let childPositions: [Int]?

  /// `nil` where the schema lacks the parent.
  init?(_ reference: ForeignKeySchema, of table: TableSchema, _ schema: DatabaseSchema, _ layouts: SeedLayout)
  {
    guard let found = schema.table(reference.parent) else { return nil }
    child = layouts[table]
    parent = layouts[found]
    let referenced = reference.parentColumns.isEmpty ? found.keyNames : reference.parentColumns
    childPositions = table.positions(reference.columns)
    parentPositions = found.positions(referenced)
    columns =
      childPositions.map { [stored = child.stored] in $0.map { stored.columns[$0].name } }
      ?? reference.columns
    parentColumns =
      parentPositions.map { [stored = parent.stored] in $0.map { stored.columns[$0].name } } ?? referenced
  }

  // MARK: SQL

  private var orphans: String {
    let key = child.stored.keyNames.map { "child.\(quoted($0))" }.joined(separator: ", ")
    return "SELECT \(key) FROM main.\(quoted(child.stored.name)) AS child WHERE "
  }

  private var condition: String { orphanCondition(columns, parent.stored.name, parentColumns) }

  var allOrphans: String { orphans + condition }

  /// The key again of the row with a key, if it references nothing.
  var orphanByKey: String {
    orphans + child.stored.keyNames.map { "child.\(quoted($0)) = ? AND " }.joined() + condition
  }

  /// The keys of the rows that reference certain values, if those are not there.
  var orphansByParent: String {
    let matches = zip(columns, collations).map { "child.\(quoted($0)) COLLATE \($1.rawValue) = ? AND " }
    return orphans + matches.joined() + condition
  }

  /// Any value that leads nowhere; `nil` where a reference has several columns, or its two ends compare differently.
  var orphanedValue: String? {
    guard let child = childPositions, let parent = parentPositions, child.count == 1, parent.count == 1,
      self.child.stored.columns[child[0]].collation == collations[0]
    else { return nil }
    let values = "SELECT DISTINCT \(quoted(columns[0])) AS value FROM main.\(quoted(self.child.stored.name))"
    let condition = orphanCondition(["value"], self.parent.stored.name, parentColumns)
    return "SELECT 1 FROM (\(values)) AS child WHERE \(condition) LIMIT 1"
  }

  /// Whether what is referenced is the parent's key, of which there is one of each.
  var leadsToKey: Bool { parentPositions == parent.logical.key }

  private var collations: [Collation] {
    (parentPositions ?? []).map { parent.stored.columns[$0].collation }
  }

  // MARK: What can be looked up

  /// Whether a parent is found by an index, of the kind that SQLite demands of what is referenced.
  func findsParents(_ indexes: TableIndexes) -> Bool {
    guard parentPositions != nil, !collations.isEmpty else { return false }
    return indexes.hasUnique(Array(zip(parentColumns, collations)), of: parent.stored)
  }

  /// Whether the children of a value are found by an index, and are the same by SQL's rules as by a reference's.
  func findsChildren(_ indexes: TableIndexes) -> Bool {
    guard let parentPositions, let childPositions, parentPositions.count == childPositions.count else {
      return false
    }
    for (ours, theirs) in zip(childPositions, parentPositions)
    where child.stored.columns[ours].affinity != parent.stored.columns[theirs].affinity {
      return false
    }
    return indexes.has(Array(zip(columns, collations)), of: child.stored)
  }
}

/// What is true of a row, called `child`, whose columns reference a row that is not there.
package func orphanCondition(_ columns: [String], _ parent: String, _ parentColumns: [String]) -> String {
  let values = columns.map { "child.\(quoted($0))" }
  // The parent's column counts: it stands first for its collation, and the plus takes the child's type away.
  let matches = zip(parentColumns, values).map { "parent.\(quoted($0)) = +\($1)" }
  return values.map { "\($0) IS NOT NULL AND " }.joined()
    + "NOT EXISTS (SELECT 1 FROM main.\(quoted(parent)) AS parent WHERE \(matches.joined(separator: " AND ")))"
}

extension TableSchema {
  /// Where columns stand among the stored ones; names are compared as SQLite does.
  func positions(_ names: [String]) -> [Int]? {
    let positions = names.compactMap { name in
      columns.firstIndex { $0.name.lowercased() == name.lowercased() }
    }
    return positions.count == names.count ? positions : nil
  }
}

/// By which columns rows of a table can be found without reading all of them.
package struct TableIndexes {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package typealias Part = (column: String, collation: Collation)

  /// Whether an index begins with these columns, in whatever order.
  func has(_ parts: [Part], of table: TableSchema) -> Bool {
    hasRowid(parts, of: table)
      || indexes(table, where: "partial = 0").contains { Self.same(Array($0.prefix(parts.count)), parts) }
  }

  /// Whether a unique index covers these columns and no others.
  package func hasUnique(_ parts: [Part], of table: TableSchema) -> Bool {
    hasRowid(parts, of: table)
      || indexes(table, where: #""unique" AND partial = 0"#).contains { Self.same($0, parts) }
  }

  /// Whether the columns are an INTEGER PRIMARY KEY.
  private func hasRowid(_ parts: [Part], of table: TableSchema) -> Bool {
    guard parts.count == 1, !table.isWithoutRowid else { return false }
    let keys = rows("SELECT name, upper(type) FROM pragma_table_xinfo(?) WHERE pk > 0", table.name)
    return keys == [[.text(parts[0].column), .text("INTEGER")]]
      && !indexes(table, where: "origin = 'pk'").contains { $0.count == 1 }
  }

  private func indexes(_ table: TableSchema, where condition: String) -> [[[SeedValue]]] {
    rows("SELECT name FROM pragma_index_list(?) WHERE \(condition)", table.name).map { index in
      rows("SELECT name, upper(coll) FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", index[0].text)
    }
  }

  /// What cannot be read is no index: then all rows are looked at.
  private func rows(_ sql: String, _ name: String) -> [[SeedValue]] {
    (try? connection.rows(sql, .text(name))) ?? []
  }

  private static func same(_ found: [[SeedValue]], _ parts: [Part]) -> Bool {
    found.count == parts.count
      && parts.allSatisfy { found.contains([.text($0.column), .text($0.collation.rawValue)]) }
  }
}
