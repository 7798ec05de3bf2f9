/// A foreign key between two tables, with its SQL.
struct Reference {
  let child: TableSchema
  let parent: TableSchema
  let columns: [String]
  let parentColumns: [String]
  /// Positions among the parent's columns; nil if one is a generated column.
  let parentPositions: [Int]?
  private let childPositions: [Int]?

  init?(_ reference: ForeignKeySchema, of table: TableSchema, _ schema: DatabaseSchema) {
    guard let found = schema.table(reference.parent) else { return nil }
    (child, parent) = (table, found)
    childPositions = table.positions(reference.columns)
    let referenced = reference.parentColumns(in: found)
    parentPositions = found.positions(referenced)
    columns = childPositions?.map { table.columns[$0].name } ?? reference.columns
    parentColumns = parentPositions?.map { found.columns[$0].name } ?? referenced
  }

  // MARK: SQL

  private var orphans: String {
    let key = child.keyNames.map { "child.\(quoted($0))" }.joined(separator: ", ")
    return "SELECT \(key) FROM main.\(quoted(child.name)) AS child WHERE "
  }

  private var condition: String { orphanCondition(columns, parent.name, parentColumns) }

  var allOrphans: String { orphans + condition }

  var orphanByKey: String {
    orphans + child.keyNames.map { "child.\(quoted($0)) = ? AND " }.joined() + condition
  }

  var orphansByParent: String {
    let matches = zip(columns, collations).map { "child.\(quoted($0)) COLLATE \($1.rawValue) = ? AND " }
    return orphans + matches.joined() + condition
  }

  /// SQL that finds a value without a parent; nil for keys of several columns or columns of different collations.
  var orphanedValue: String? {
    guard let child = childPositions, let parent = parentPositions, child.count == 1, parent.count == 1,
      self.child.columns[child[0]].collation == collations[0]
    else { return nil }
    let values = "SELECT DISTINCT \(quoted(columns[0])) AS value FROM main.\(quoted(self.child.name))"
    let condition = orphanCondition(["value"], self.parent.name, parentColumns)
    return "SELECT 1 FROM (\(values)) AS child WHERE \(condition) LIMIT 1"
  }

  var leadsToKey: Bool { parentPositions == parent.key }

  private var collations: [Collation] { (parentPositions ?? []).map { parent.columns[$0].collation } }

  // MARK: Look-ups by index

  /// Whether a unique index can find parents. SQLite requires such an index for foreign keys.
  func findsParents(_ reader: SchemaReader) -> Bool {
    guard parentPositions != nil, !collations.isEmpty else { return false }
    return reader.hasUniqueIndex(Array(zip(parentColumns, collations)), of: parent)
  }

  /// Whether an index can find children. Types must be equal, so that SQL compares values as the foreign key does.
  func findsChildren(_ reader: SchemaReader) -> Bool {
    guard let parentPositions, let childPositions, parentPositions.count == childPositions.count else {
      return false
    }
    let haveSameTypes = zip(childPositions, parentPositions).allSatisfy { ours, theirs in
      child.columns[ours].affinity == parent.columns[theirs].affinity
    }
    return haveSameTypes && reader.hasIndex(Array(zip(columns, collations)), of: child)
  }
}

package func orphanCondition(_ columns: [String], _ parent: String, _ parentColumns: [String]) -> String {
  let values = columns.map { "child.\(quoted($0))" }
  // The parent's column is first, so that its collation applies; the plus removes the child's affinity.
  let matches = zip(parentColumns, values).map { "parent.\(quoted($0)) = +\($1)" }
  return values.map { "\($0) IS NOT NULL AND " }.joined()
    + "NOT EXISTS (SELECT 1 FROM main.\(quoted(parent)) AS parent WHERE \(matches.joined(separator: " AND ")))"
}

extension TableSchema {
  func positions(_ names: [String]) -> [Int]? {
    let positions = names.compactMap { name in
      columns.firstIndex { $0.name.foldedName == name.foldedName }
    }
    return positions.count == names.count ? positions : nil
  }
}
