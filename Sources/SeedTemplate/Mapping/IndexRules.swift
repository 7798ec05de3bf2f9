extension TableMapping {
  /// Throws if the model does not explain an index, or if a unique index is missing.
  func checkIndexes(of file: StoreFile) throws { try IndexRules(file: file, mapping: self).check() }

  /// The names of the triggers. Throws if the model does not explain one, or one is missing.
  func triggers(of file: StoreFile) throws -> [String] { try TriggerRules(file: file, mapping: self).check() }
}

private struct IndexRules {
  let file: StoreFile
  let mapping: TableMapping

  func check() throws {
    let tables = Set(mapping.tables.map(\.name))
    let unique = Dictionary(constraints(), uniquingKeysWith: { first, _ in first })
    let fetch = fetchIndexes()
    for index in file.schema.indexes where tables.contains(index.table) && !index.isOfKey {
      let isKnown =
        index.isUnique
        ? unique[index.name] == index.columns
        : fetch[index.name] == index.columns || isNamedByColumns(index)
      guard !index.columns.isEmpty, isKnown else {
        throw TemplateProblem(
          index.name, "nothing in the model explains this index of \(index.table)", .makeNew)
      }
    }
    let found = Set(file.schema.indexes.map(\.name))
    if let missing = unique.keys.sorted().first(where: { !found.contains($0) }) {
      throw TemplateProblem(missing, "the index of a uniqueness constraint is missing", .makeNew)
    }
  }

  private func columns(_ properties: [String], _ entity: String) -> [String] {
    properties.compactMap { mapping.column(of: $0, entity, in: file.model) }
  }

  private func constraints() -> [(String, [String])] {
    file.model.entities.flatMap { entity in
      entity.uniqueness.map {
        ("Z_\(entity.name)_UNIQUE_\($0.joined(separator: "_"))", columns($0, entity.name))
      }
    }
  }

  /// Some versions of the framework create a parent's indexes again for each child, under the child's name.
  private func fetchIndexes() -> [String: [String]] {
    let pairs = file.model.entities.flatMap { entity in
      file.model.line(of: entity.name).flatMap(\.indexes).compactMap { index in
        index.name.map { ("Z_\(entity.name)_\($0)", columns(index.properties, entity.name)) }
      }
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// Indexes of single columns, of the second column of pairs, and compound ones of older frameworks.
  private func isNamedByColumns(_ index: StoreSchema.Index) -> Bool {
    guard let first = index.columns.first else { return false }
    let isOfPairs = mapping.tables.contains { table in
      if table.name == index.table, case .pairs = table.kind { true } else { false }
    }
    let all = "\(index.table)_\(index.columns.joined(separator: "_"))"
    if isOfPairs { return index.name == "\(index.table)_\(first)_INDEX" && index.columns.count == 2 }
    return index.columns.count == 1 ? index.name == all + "_INDEX" : index.name == all
  }
}

/// The triggers of derived attributes that count a relationship, as written by Apple's framework.
private struct TriggerRules {
  let file: StoreFile
  let mapping: TableMapping

  func check() throws -> [String] {
    var known: [String: String] = [:]
    for entity in file.model.entities {
      for attribute in entity.attributes {
        guard let counted = attribute.counts else { continue }
        known.merge(try triggers(of: attribute, counted, entity)) { first, _ in first }
      }
    }
    for (name, sql) in file.schema.triggers.sorted(by: { $0.key < $1.key }) where known[name] != sql {
      throw TemplateProblem(name, "nothing in the model explains this trigger")
    }
    if let missing = known.keys.sorted().first(where: { file.schema.triggers[$0] == nil }) {
      throw TemplateProblem(missing, "the trigger of a derived attribute is missing", .makeNew)
    }
    return known.keys.sorted()
  }

  private func triggers(
    of attribute: ObjectModel.Attribute, _ counted: String, _ entity: ObjectModel.Entity
  ) throws -> [String: String] {
    let place = "\(entity.name).\(attribute.name)"
    guard let (_, relationship) = file.model.relationship(counted, of: entity.name), !relationship.isToOne,
      let inverse = relationship.inverse,
      let column = mapping.column(of: attribute.name, entity.name, in: file.model),
      let target = mapping.column(of: inverse, relationship.destination, in: file.model)
    else {
      throw TemplateProblem(place, "it counts a relationship that is not to-many with a to-one inverse")
    }
    let count = CountTriggers(
      table: "Z" + file.model.root(of: entity.name).uppercased(), column: column, entity: entity.name,
      attribute: attribute.name, counted: "Z" + file.model.root(of: relationship.destination).uppercased(),
      target: target)
    return count.statements
  }
}

private struct CountTriggers {
  let table, column: String
  let entity, attribute: String
  /// The table of the counted objects, and its column with the counting object's key.
  let counted, target: String

  var statements: [String: String] {
    let changed = [
      (event: "INSERT", on: "INSERT", row: "NEW", value: "IFNULL(\(column), 0) + 1"),
      ("UPDATE_INCREMENT", "UPDATE OF \(target)", "NEW", "\(column) + 1"),
      ("UPDATE_DECREMENT", "UPDATE OF \(target)", "OLD", "\(column) - 1"),
      ("DELETE", "DELETE", "OLD", "\(column) - 1"),
    ].map { change in
      let name = "Z_DA_\(counted)_\(entity)_\(attribute)_PARAMETER_\(change.event)"
      let object = "\(change.row).\(target)"
      let sql =
        "CREATE TRIGGER \(name) AFTER \(change.on) ON \(counted) FOR EACH ROW WHEN (\(object) NOT NULL) BEGIN UPDATE \(table)"
        + " SET \(column) = \(change.value) WHERE Z_PK = \(object); \(tell("Updated", object)) END"
      return (name, sql)
    }
    return Dictionary(uniqueKeysWithValues: changed + [inserted])
  }

  private var inserted: (String, String) {
    let name = "Z_DA_\(table)_\(entity)_\(attribute)_SOURCE_INSERT"
    let count = "(SELECT IFNULL(COUNT(\(target)), 0) FROM \(counted) WHERE \(target) = NEW.Z_PK)"
    let sql =
      "CREATE TRIGGER \(name) AFTER INSERT ON \(table) FOR EACH ROW BEGIN UPDATE \(table) SET \(column) = \(count)"
      + " WHERE Z_PK = NEW.Z_PK; \(tell("InsertUpdated", "NEW.Z_PK")) END"
    return (name, sql)
  }

  /// Notifies Apple's framework of the new value, by a function that it registers.
  private func tell(_ what: String, _ object: String) -> String {
    "SELECT NSCoreDataDATrigger\(what)AffectedObjectValue('\(table)', Z_ENT, Z_PK, '\(attribute)', \(column))"
      + " FROM \(table) WHERE Z_PK = \(object);"
  }
}
