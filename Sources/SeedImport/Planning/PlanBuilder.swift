import SeedDatabase
import SeedFormat
import SeedSystem

final class PlanBuilder {
  private let connection: Connection
  private let policy: ImportPolicy
  private let fitter = AffinityFitter()
  private let listed: [SchemaReader.Listed]
  private(set) var targets: [String: ImportTarget] = [:]
  private(set) var surveys: [MemberSurvey] = []
  let turns = TurnCounter()
  private(set) var syncs: [(sync: ParentSync, plan: RowPlan, parent: [Int])] = []
  /// The modes of the document's lists by table.
  private let modes: [String: TableMapping.MergeMode]

  init(_ connection: Connection, _ policy: ImportPolicy, _ mapping: ImportMapping) throws {
    self.connection = connection
    self.policy = policy
    modes = try Self.modes(mapping)
    listed = try SchemaReader(connection).listedTables()
  }

  private static func modes(_ mapping: ImportMapping) throws -> [String: TableMapping.MergeMode] {
    var modes: [String: TableMapping.MergeMode] = [:]
    for table in mapping.lists.map(\.table) {
      let known = modes.updateValue(table.mode, forKey: table.table.foldedName)
      guard known ?? table.mode == table.mode else {
        throw ImportFailure(.mapping, "table \"\(table.table)\": its lists must have the same mode")
      }
    }
    return modes
  }

  func plan(_ mapping: TableMapping) throws -> RowPlan {
    let target = try target(mapping)
    let listed = Set(mapping.columns.keys.map(\.foldedName))
    if let name = mapping.constants.keys.sorted().first(where: { listed.contains($0.foldedName) }) {
      throw flaw(
        target.table.name,
        "the column \"\(name)\" is in both 'columns' and 'constants': remove it from one of them")
    }
    let relations = try mapping.relations.map { try relation($0, of: target.table, mapping.key) }
    let columns = try mapping.columns.sorted { $0.key < $1.key }.map { name, source in
      (source, valueTarget(try column(name, target.table), target.table, source.conversion))
    }
    try checkDistinct(columns.map(\.1.column), "columns", target.table)
    let constants = try columnValues(mapping.constants, "constant", target.table)
    // A column for a bare value is matched by name if the element is an object.
    let listedColumns = columns.filter { !$0.0.member.steps.isEmpty || $0.1.conversion.takesObjects }
      .map(\.1.column)
    let (root, byName) = root(mapping, target.table, taken: Set(listedColumns + constants.map(\.column)))
    for (index, column) in columns.enumerated() {
      root.node(column.0.member.steps[...]).columns.append(index)
    }
    for (index, relation) in mapping.relations.enumerated() {
      let node = root.node(relation.member.steps[...])
      guard node.relation == nil else {
        throw flaw(target.table.name, "two relations are at \(relation.member): map one of them")
      }
      node.relation = index
    }
    Self.share(root, columns.map(\.1))
    let plan = RowPlan(
      // The listed targets, then one target per column for members that match it by name.
      target, root: root,
      columns: columns.map(\.1) + target.table.columns.indices.map { valueTarget($0, target.table) },
      constants: constants, defaults: try columnValues(mapping.defaults, "default", target.table),
      relations: relations)
    let values = byName.filter { entry in
      !target.table.keyNames.contains(entry.column)
        && !root.children.keys.contains { root.byName($0) === entry.node }
    }
    surveys.append(MemberSurvey(plan: plan, mapping: mapping, byName: values))
    return plan
  }

  /// If a listed column reads a member, lets this member also fill the column with the member's name.
  private static func share(_ root: MemberNode, _ listed: [ValueReader.Target]) {
    for (name, node) in root.children where node.relation == nil && !node.hasParts {
      guard !node.columns.contains(where: { listed[$0].conversion.takesObjects }) else { continue }
      node.columns += root.byName(name)?.columns ?? []
    }
  }

  private func valueTarget(
    _ column: Int, _ table: TableSchema, _ conversion: ImportConversion = .automatic
  ) -> ValueReader.Target { .init(column: column, schema: table.columns[column], conversion: conversion) }

  /// Converts a value of the mapping to the form in which its column stores it.
  private func fit(
    _ value: SeedValue, _ what: String, _ column: ColumnSchema, _ table: TableSchema
  ) throws -> SeedValue {
    guard let fitting = ValueReader().fit(value, column) else {
      throw ImportFailure(
        .mapping,
        "table \"\(table.name)\", column \"\(column.name)\": the \(what) \(value) does not fit the type "
          + "\(column.declaredType): write one that does")
    }
    return try fitter.fit(fitting, to: column.affinity)
  }

  private func root(
    _ mapping: TableMapping, _ table: TableSchema, taken: Set<Int>
  ) -> (MemberNode, byName: [(column: String, node: MemberNode)]) {
    let names = mapping.names
    guard names != .explicit else { return (MemberNode(), []) }
    var found: [Int: MemberNode] = [:]
    for column in table.columns.indices where !taken.contains(column) {
      let node = MemberNode()
      node.columns = [mapping.columns.count + column]
      found[column] = node
    }
    let columnNames = table.columnNames
    let root = MemberNode { member in
      let wanted = names.columnName(String(decoding: member, as: UTF8.self))
      return columnNames.firstIndex(of: wanted).flatMap { found[$0] }
    }
    return (root, found.sorted { $0.key < $1.key }.map { (columnNames[$0.key], $0.value) })
  }

  private func columnValues(
    _ values: [String: SeedValue], _ what: String, _ table: TableSchema
  ) throws -> [(column: Int, value: SeedValue)] {
    let fitting = try values.sorted { $0.key < $1.key }.map { name, value in
      let column = try column(name, table)
      return (column: column, value: try fit(value, what, table.columns[column], table))
    }
    try checkDistinct(fitting.map(\.column), "\(what)s", table)
    return fitting
  }

  /// Rejects columns that occur twice, for example because two names differ only in case.
  private func checkDistinct(_ columns: [Int], _ what: String, _ table: TableSchema) throws {
    guard let twice = columns.first(where: { column in columns.count { $0 == column } > 1 }) else { return }
    throw flaw(
      table.name,
      "two names in '\(what)' refer to the column \"\(table.columns[twice].name)\": remove one of them"
    )
  }

  // MARK: Relations

  /// `key` is the parent's key as its mapping lists it.
  private func relation(
    _ relation: RelationMapping, of table: TableSchema, _ key: [String]
  ) throws -> RowRelation {
    guard relation.table.mode == .merge else {
      throw flaw(
        relation.table.table,
        "nested rows must have the mode merge: to delete rows that their parent no longer contains, give the "
          + "relation at \(relation.member) the mode replaceForParent")
    }
    let plan = try plan(relation.table)
    let (kind, parent) = try kind(relation, plan, of: table, key)
    if case .object = kind, let nested = relation.table.relations.first(where: { !$0.isReference }) {
      throw flaw(
        relation.table.table,
        "the object at \(relation.member) is a reference, and referenced objects cannot have nested rows: map those at "
          + "\(nested.member) in another list")
    }
    let names = try names(relation, plan)
    let owned = if case .join(let join) = kind { join.plan } else { plan }
    return RowRelation(kind, plan, owned: owned, names: names, sync: try sync(owned, parent, relation))
  }

  private func kind(
    _ relation: RelationMapping, _ plan: RowPlan, of table: TableSchema, _ key: [String]
  ) throws -> (RowRelation.Kind, parent: [Int]) {
    let nestedKey = relation.table.key
    switch relation.kind {
    case .reference(let foreignKey):
      plan.target.recurs = true
      let names = try align(foreignKey, plan.table, nestedKey, "foreignKey", relation.table.table)
      return (.object(foreignKey: try columns(names, table)), [])
    case .children(let parentKey):
      let names = try align(parentKey, table, key, "parentKey", relation.table.table)
      let parent = try columns(names, plan.table)
      return (.children(parentKey: parent), parent)
    case .pairs(let through, let parentKey, let elementKey):
      plan.target.recurs = true
      let join = try self.plan(TableMapping(through, key: parentKey + elementKey, names: .explicit))
      let parentNames = try align(parentKey, table, key, "parentKey", through)
      let elementNames = try align(elementKey, plan.table, nestedKey, "elementKey", through)
      let parent = try columns(parentNames, join.table)
      let filling = RowRelation.Join(
        plan: join, parentKey: parent, elementKey: try columns(elementNames, join.table))
      return (.join(filling), parent)
    }
  }

  private func names(_ relation: RelationMapping, _ plan: RowPlan) throws -> ValueReader.Target? {
    guard case .dictionary(let column) = relation.layout else { return nil }
    if let column { return try target(column, plan.table) }
    guard plan.table.key.count == 1 else {
      throw flaw(
        plan.table.name,
        "the names at \(relation.member) cannot fill its key, because the key has \(plan.table.key.count) columns"
      )
    }
    return valueTarget(plan.table.key[0], plan.table)
  }

  private func sync(_ plan: RowPlan, _ parent: [Int], _ relation: RelationMapping) throws -> ParentSync? {
    guard relation.deletes else { return nil }
    let rivals = syncs.filter { $0.plan.target === plan.target && $0.parent == parent }
    guard rivals.allSatisfy({ Self.areDistinct($0.plan, plan) }) else {
      let remedy =
        if case .pairs = relation.kind {
          "the pairs of a join have no constants, so use a separate table for each join"
        } else {
          "give both constants, with different values in one column"
        }
      throw flaw(
        plan.table.name,
        "two relations replace the same rows of a parent: \(remedy), or give both the mode merge")
    }
    let sync = try ParentSync(
      plan.target, parent: parent, constants: plan.constants, number: syncs.count, connection, turns)
    syncs.append((sync, plan, parent))
    return sync
  }

  /// Whether no row can have the constants of both plans.
  private static func areDistinct(_ left: RowPlan, _ right: RowPlan) -> Bool {
    left.constants.contains { own in
      let isBinary = left.table.columns[own.column].collation == .binary
      return right.constants.contains {
        $0.column == own.column && (isBinary ? $0.value != own.value : folded($0.value) != folded(own.value))
      }
    }
  }

  /// Makes values equal that NOCASE or RTRIM considers equal.
  private static func folded(_ value: SeedValue) -> SeedValue {
    guard case .text(let text) = value else { return value }
    return .text(text.foldedName.replacing(#/ +$/#, with: ""))
  }

  /// Connects each plan with the other relations whose rows it may name; runs after all plans are built.
  func connectSyncs() {
    for plan in surveys.map(\.plan) {
      plan.othersNamed = syncs.filter { $0.sync.target === plan.target && $0.plan !== plan }.map(\.sync)
    }
  }

  /// Sorts names that correspond to the mapping's `key` into the order of the table's key.
  private func align(
    _ names: [String], _ keyed: TableSchema, _ key: [String], _ what: String, _ table: String
  ) throws -> [String] {
    guard names.count == keyed.key.count else {
      throw flaw(
        table, "\(what) has \(names.count) columns, but the key of \"\(keyed.name)\" has \(keyed.key.count)")
    }
    guard key.count == names.count else { return names }
    let order = try columns(key, keyed)
    return keyed.key.compactMap { order.firstIndex(of: $0).map { names[$0] } }
  }

  // MARK: Tables and columns

  private func target(_ mapping: TableMapping) throws -> ImportTarget {
    let table = try table(mapping)
    if let target = targets[table.name] {
      guard target.table.key == table.key else {
        throw ImportFailure(.mapping, "table \"\(table.name)\" is mapped twice: use the same key for both")
      }
      return target
    }
    let mode = modes[table.name.foldedName] ?? .merge
    let target = ImportTarget(
      table, mode, connection, fitter,
      ConflictRule(rawValue: policy.onConflict.rawValue) ?? .overwrite)
    targets[table.name] = target
    if mode == .replace { target.schemaDefaults = try schemaDefaults(table) }
    return target
  }

  /// The current values of the schema's defaults; expressions are evaluated once per import.
  private func schemaDefaults(_ table: TableSchema) throws -> [Int: SeedValue] {
    var defaults: [Int: SeedValue] = [:]
    let rowid = try SchemaReader(connection).rowidAlias(of: table.name)
    for (index, column) in table.columns.enumerated() where !table.key.contains(index) {
      let value = try column.defaultExpression.map { try connection.value("SELECT \($0)") ?? .null } ?? .null
      // SQLite assigns an omitted INTEGER PRIMARY KEY, and rejects a row that omits a NOT NULL column.
      if value == .null, column.isNotNull || column.name == rowid { continue }
      defaults[index] = try fitter.fit(value, to: column.affinity)
    }
    return defaults
  }

  private func table(_ mapping: TableMapping) throws -> TableSchema {
    let found = listed.first { $0.name.foldedName == mapping.table.foldedName }
    guard let found, found.kind == "table" else { throw unknownTable(mapping.table, kind: found?.kind) }
    var table = try schema(found.name)
    if !mapping.key.isEmpty { table = try keyed(table, mapping.key) }
    return table
  }

  private func schema(_ name: String) throws -> TableSchema {
    do { return try SchemaReader(connection).table(name) } catch let problem as SchemaProblem {
      throw ImportFailure(.mapping, problem.description)
    }
  }

  private func keyed(_ table: TableSchema, _ names: [String]) throws -> TableSchema {
    let key = try columns(names, table)
    if Set(key) == Set(table.key) { return table }
    let parts = key.map { (table.columns[$0].name, table.columns[$0].collation) }
    guard SchemaReader(connection).hasUniqueIndex(parts, of: table) else {
      throw ImportFailure(
        .mapping, "table \"\(table.name)\" has no unique index over \(names.joined(separator: ", "))")
    }
    return table.keyed(by: key)
  }

  func columns(_ names: [String], _ table: TableSchema) throws -> [Int] {
    try names.map { try column($0, table) }
  }

  func target(_ name: String, _ table: TableSchema) throws -> ValueReader.Target {
    valueTarget(try column(name, table), table)
  }

  func column(_ name: String, _ table: TableSchema) throws -> Int {
    guard let index = table.columnNames.firstIndex(where: { $0.foldedName == name.foldedName }) else {
      throw flaw(table.name, unknown("column", name, among: table.columnNames))
    }
    return index
  }

  private func flaw(_ table: String, _ message: String) -> ImportFailure {
    ImportFailure(.mapping, "table \"\(table)\": \(message)")
  }

  private func unknown(_ what: String, _ name: String, among known: [String], note: String = "") -> String {
    let nearest = nearestName(to: name, in: known)
    return "there is no \(what) \"\(name)\"\(note)" + (nearest.map { ", did you mean \"\($0)\"?" } ?? "")
  }

  /// `kind` is the kind that SQLite reports for the view or virtual table with this name.
  private func unknownTable(_ name: String, kind: String?) -> ImportFailure {
    let tables = listed.filter { $0.kind == "table" }.map(\.name)
    let note =
      switch kind {
      case "view", "virtual", "shadow":
        " (it is a view or a virtual table, and imports write only ordinary tables)"
      default: tables.isEmpty ? " (the database has no tables: create them first)" : ""
      }
    return ImportFailure(.mapping, unknown("table", name, among: tables, note: note))
  }
}
