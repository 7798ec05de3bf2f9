extension TableMapping {
  package init(_ file: StoreFile) throws {
    var resolver = MappingResolver(file)
    let tables = try resolver.tables()
    let explained = TableMapping(tables: tables, triggers: [])
    try explained.checkIndexes(of: file)
    self.init(tables: tables, triggers: try explained.triggers(of: file))
  }
}

/// Finds the table and columns of every part of a model, and rejects the rest.
private struct MappingResolver {
  private let file: StoreFile
  private let model: ObjectModel
  /// By the entity whose table they share, in order of their numbers.
  private let members: [String: [ObjectModel.Entity]]
  /// To-many relationships without an inverse, whose columns are in the related objects' table, by the same entity.
  private let owned: [String: [(owner: ObjectModel.Entity, relationship: ObjectModel.Relationship)]]
  private var pairs: [String: TableMapping.Table] = [:]

  private static let history: [String: Set<String>] = [
    "ACHANGE": [
      "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ],
    "ATRANSACTION": [
      "Z_PK", "Z_ENT", "Z_OPT", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP",
      "ZAUTHOR",
      "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID", "ZQUERYGEN",
    ],
    "ATRANSACTIONSTRING": ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"],
  ]

  init(_ file: StoreFile) {
    let model = file.model
    (self.file, self.model) = (file, model)
    members = Dictionary(grouping: model.numbered) { model.root(of: $0.name) }
    let alone = model.entities.flatMap { owner in
      owner.relationships.filter { !$0.isToOne && $0.inverse == nil && !$0.isTransient }
        .map { (owner: owner, relationship: $0) }
    }
    owned = Dictionary(grouping: alone) { model.root(of: $0.relationship.destination) }
  }

  private func number(_ entity: String) -> Int64 { file.numbers[entity] ?? 0 }

  private func table(_ name: String) -> StoreSchema.Table? { file.schema.tables.first { $0.name == name } }

  mutating func tables() throws -> [TableMapping.Table] {
    var explained: [String: TableMapping.Table] = [:]
    for root in model.entities where root.parent == nil {
      let table = try objects(of: root)
      guard explained.updateValue(table, forKey: table.name) == nil else {
        throw TemplateProblem(root.name, "another entity has the table \(table.name), too")
      }
    }
    try findPairs()
    explained.merge(pairs) { first, _ in first }
    return try file.schema.tables.compactMap { table in
      if let known = explained[table.name] { return known }
      if try isHistory(table) || StoreFile.ownTables.contains(table.name) { return nil }
      throw TemplateProblem(table.name, "nothing in the model explains this table", .makeNew)
    }
  }

  private func isHistory(_ table: StoreSchema.Table) throws -> Bool {
    guard let known = Self.history[table.name] else { return false }
    if let column = table.columns.first(where: { !known.contains($0.name) }) {
      throw TemplateProblem("\(table.name).\(column.name)", "the column of the history is not known")
    }
    return true
  }

  // MARK: Tables of objects

  private func objects(of root: ObjectModel.Entity) throws -> TableMapping.Table {
    let name = "Z" + root.name.uppercased()
    guard let found = table(name) else {
      throw TemplateProblem(root.name, "the store has no table \(name)", .makeNew)
    }
    let columns = try named(try wanted(in: root), root)
    try compare(found, columns)
    guard found.columns.filter({ $0.keyPlace > 0 }).map(\.name) == ["Z_PK"] else {
      throw TemplateProblem(name, "its key is not Z_PK", .makeNew)
    }
    let order = Dictionary(
      uniqueKeysWithValues: found.columns.enumerated().map { ($0.element.name, $0.offset) })
    return TableMapping.Table(
      name: name, kind: .objects(root: root.name),
      columns: columns.sorted { order[$0.name] ?? 0 < order[$1.name] ?? 0 })
  }

  private func wanted(in root: ObjectModel.Entity) throws -> [WantedColumn] {
    let own = try (members[root.name] ?? []).flatMap { entity in
      entity.attributes.flatMap { WantedColumn.columns(of: $0, entity, number(entity.name)) }
        + (try entity.relationships.flatMap { try self.columns(of: $0, entity) })
    }
    let reached = try (owned[root.name] ?? []).map { try column(of: $0.relationship, ownedBy: $0.owner) }
    return WantedColumn.system + own + reached
  }

  private func columns(
    of relationship: ObjectModel.Relationship, _ entity: ObjectModel.Entity
  ) throws -> [WantedColumn] {
    let inverse = try inverse(of: relationship, entity)
    guard relationship.isToOne, !relationship.isTransient else { return [] }
    let side = TableMapping.Side(entity: entity.name, name: relationship.name)
    let name = relationship.name.uppercased()
    func column(_ name: String, _ content: TableMapping.Content) -> WantedColumn {
      WantedColumn(
        name: name, type: "INTEGER", content: content, owner: number(entity.name), path: [relationship.name])
    }
    var columns = [column("Z\(name)", .target(side))]
    if !model.children(of: relationship.destination).isEmpty {
      columns.append(column("Z\(number(relationship.destination))_\(name)", .targetEntity(side)))
    }
    if let inverse, !inverse.isToOne, inverse.isOrdered {
      columns.append(column("Z_FOK_\(name)", .order(side)))
    }
    return columns
  }

  /// The column of a to-many relationship without an inverse, in the related objects' table.
  private func column(
    of relationship: ObjectModel.Relationship, ownedBy owner: ObjectModel.Entity
  ) throws -> WantedColumn {
    guard !relationship.isOrdered, owner.parent == nil, model.children(of: owner.name).isEmpty else {
      throw TemplateProblem(
        "\(owner.name).\(relationship.name)",
        "it is to-many without an inverse, and ordered or of an entity that inherits or is inherited from",
        "give it an inverse in the model")
    }
    return WantedColumn(
      name: "Z\(number(owner.name))\(relationship.name.uppercased())", type: "INTEGER",
      content: .owner(TableMapping.Side(entity: owner.name, name: relationship.name)),
      owner: number(owner.name), path: [relationship.name])
  }

  /// Assigns column names. If several attributes have the same, the entity with the lowest number gets it unchanged,
  /// and within an entity the attribute whose name sorts first; the others get 1, 2 and so on appended.
  private func named(_ wanted: [WantedColumn], _ root: ObjectModel.Entity) throws -> [TableMapping.Column] {
    let groups = Dictionary(grouping: wanted, by: \.name)
    let columns = try groups.flatMap { name, group in
      guard group.count == 1 || group.allSatisfy({ if case .attribute = $0.content { true } else { false } })
      else {
        throw TemplateProblem(
          "\(root.name).\(name)", "several properties that are not all attributes want this column",
          "give them different names in the model")
      }
      return group.sorted(by: Self.comesFirst).enumerated().map { place, column in
        TableMapping.Column(
          name: place == 0 ? name : "\(name)\(place)", type: column.type, content: column.content)
      }
    }
    guard Set(columns.map(\.name)).count == columns.count else {
      throw TemplateProblem(
        root.name, "names of its properties differ only in a digit that Core Data puts behind equal ones",
        "give them different names in the model")
    }
    return columns
  }

  private static func comesFirst(_ left: WantedColumn, _ right: WantedColumn) -> Bool {
    guard left.owner == right.owner else { return left.owner < right.owner }
    return zip(left.path, right.path).first { $0 != $1 }.map { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      ?? (left.path.count < right.path.count)
  }

  private func compare(_ table: StoreSchema.Table, _ columns: [TableMapping.Column]) throws {
    let found = Dictionary(table.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for column in columns.sorted(by: { $0.name < $1.name }) {
      guard let known = found[column.name] else {
        throw TemplateProblem(
          column.content.words, "the table \(table.name) has no column \(column.name)", .makeNew)
      }
      guard known.type == column.type else {
        throw TemplateProblem(
          column.content.words,
          "the column \(table.name).\(column.name) is \(known.type) instead of \(column.type)", .makeNew)
      }
    }
    let names = Set(columns.map(\.name))
    if let column = table.columns.first(where: { !names.contains($0.name) }) {
      throw TemplateProblem(
        "\(table.name).\(column.name)", "nothing in the model explains this column", .makeNew)
    }
  }

  // MARK: Tables of pairs

  private func inverse(
    of relationship: ObjectModel.Relationship, _ entity: ObjectModel.Entity
  ) throws -> ObjectModel.Relationship? {
    let place = "\(entity.name).\(relationship.name)"
    guard model[relationship.destination] != nil else {
      throw TemplateProblem(place, "its destination is not in the model", .makeNew)
    }
    guard let name = relationship.inverse else { return nil }
    guard let (owner, inverse) = model.relationship(name, of: relationship.destination),
      inverse.inverse == relationship.name, inverse.isTransient == relationship.isTransient,
      areInOneLine(inverse.destination, entity.name), areInOneLine(owner.name, relationship.destination)
    else { throw TemplateProblem(place, "its inverse does not lead back to it", .makeNew) }
    return inverse
  }

  private func areInOneLine(_ one: String, _ other: String) -> Bool {
    model.line(of: one).contains { $0.name == other } || model.line(of: other).contains { $0.name == one }
  }

  private mutating func findPairs() throws {
    var done: Set<TableMapping.Side> = []
    for entity in model.numbered {
      for relationship in entity.relationships where !relationship.isToOne && !relationship.isTransient {
        guard let inverse = try inverse(of: relationship, entity), !inverse.isToOne else { continue }
        let side = TableMapping.Side(entity: entity.name, name: relationship.name)
        guard let owner = model.relationship(inverse.name, of: relationship.destination)?.owner else {
          continue
        }
        let back = TableMapping.Side(entity: owner.name, name: inverse.name)
        guard done.insert(side).inserted else { continue }
        done.insert(back)
        guard side != back else {
          throw TemplateProblem(
            "\(side.entity).\(side.name)", "it is its own inverse",
            "give it an inverse of another name in the model")
        }
        let table = try pairs(side, relationship, back, inverse)
        guard pairs.updateValue(table, forKey: table.name) == nil else {
          throw TemplateProblem(table.name, "two relationships want this table")
        }
      }
    }
  }

  private func pairs(
    _ side: TableMapping.Side, _ relationship: ObjectModel.Relationship, _ back: TableMapping.Side,
    _ inverse: ObjectModel.Relationship
  ) throws -> TableMapping.Table {
    // Versions of the framework differ in the side that names the table.
    let names = Set([side, back].map { "Z_\(number($0.entity))\($0.name.uppercased())" })
    let found = file.schema.tables.filter { names.contains($0.name) }
    guard found.count == 1 else {
      throw TemplateProblem(
        "\(side.entity).\(side.name)",
        "the store has \(found.isEmpty ? "no" : "more than one") table \(names.sorted().joined(separator: " or "))",
        .makeNew)
    }
    let columns = try PairColumns(
      found[0],
      [
        PairColumns.Wanted(side, number(relationship.destination), isOrdered: relationship.isOrdered),
        PairColumns.Wanted(back, number(inverse.destination), isOrdered: inverse.isOrdered),
      ]
    ).columns()
    return TableMapping.Table(name: found[0].name, kind: .pairs(side, back), columns: columns)
  }
}

private struct PairColumns {
  private let table: StoreSchema.Table
  private let wanted: [Wanted]

  struct Wanted {
    let side: TableMapping.Side
    /// Without the prefix `Z_` and appended digits.
    let stem: String
    let isOrdered: Bool

    init(_ side: TableMapping.Side, _ destination: Int64, isOrdered: Bool) {
      self.side = side
      stem = "\(destination)\(side.name.uppercased())"
      self.isOrdered = isOrdered
    }
  }

  init(_ table: StoreSchema.Table, _ wanted: [Wanted]) { (self.table, self.wanted) = (table, wanted) }

  func columns() throws -> [TableMapping.Column] {
    let keys = table.columns.filter { $0.keyPlace > 0 }.map(\.name)
    guard keys.count == 2, table.columns.allSatisfy({ $0.type == "INTEGER" }) else {
      throw TemplateProblem(table.name, "it is no table of pairs of keys", .makeNew)
    }
    let ways = [keys, keys.reversed()].filter {
      Self.fits($0[0], wanted[0].stem) && Self.fits($0[1], wanted[1].stem)
    }
    let exact = ways.filter { $0[0] == "Z_" + wanted[0].stem && $0[1] == "Z_" + wanted[1].stem }
    guard let way = exact.first ?? (ways.count == 1 ? ways[0] : nil) else {
      throw TemplateProblem(
        table.name,
        "its columns \(keys.joined(separator: " and ")) do not name both sides of the relationship", .makeNew)
    }
    var contents: [String: TableMapping.Content] = [:]
    for (key, wanted) in zip(way, wanted) {
      contents[key] = .target(wanted.side)
      if wanted.isOrdered { contents["Z_FOK_" + key.dropFirst(2)] = .order(wanted.side) }
    }
    return try explained(contents)
  }

  private func explained(_ contents: [String: TableMapping.Content]) throws -> [TableMapping.Column] {
    let columns = try table.columns.map { column in
      guard let content = contents[column.name] else {
        throw TemplateProblem(
          "\(table.name).\(column.name)", "nothing in the model explains this column", .makeNew)
      }
      return TableMapping.Column(name: column.name, type: column.type, content: content)
    }
    guard columns.count == contents.count else {
      throw TemplateProblem(table.name, "it has no column for the order of an ordered relationship", .makeNew)
    }
    return columns
  }

  /// Digits are appended to a name that another relationship has.
  private static func fits(_ column: String, _ stem: String) -> Bool {
    column.hasPrefix("Z_" + stem) && column.dropFirst(2 + stem.count).allSatisfy { ("0"..."9").contains($0) }
  }
}

extension TableMapping.Content {
  package var words: String {
    switch self {
    case .key: "the key"
    case .entity: "the entity's number"
    case .saves: "the count of saves"
    case .attribute(let entity, let path): ([entity] + path).joined(separator: ".")
    case .target(let side): "\(side.entity).\(side.name)"
    case .targetEntity(let side): "the entity of \(side.entity).\(side.name)"
    case .order(let side): "the order of \(side.entity).\(side.name)"
    case .owner(let side): "the owner in \(side.entity).\(side.name)"
    }
  }
}
