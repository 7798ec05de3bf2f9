package import SeedFormat

package struct TemplateReport {
  package let template: Template
  private let path: String

  package init(_ template: Template, _ path: String) { (self.template, self.path) = (template, path) }

  private var model: ObjectModel { template.file.model }

  package var summary: [JSONMember] {
    let metadata = template.file.metadata
    return .init(
      ("file", .string(path)), ("kind", "template"), ("checksum", .string(metadata.checksum)),
      ("framework", JSONValue(Int(metadata.framework))), ("uuid", .string(metadata.uuid)),
      ("identifiers", JSONValue(strings: model.identifiers)), ("entities", JSONValue(model.entities.count)),
      ("tables", JSONValue(template.mapping.tables.count)),
      ("columns", JSONValue(template.mapping.tables.reduce(0) { $0 + $1.columns.count })),
      ("derived", JSONValue(template.mapping.triggers.count)),
      ("filled", JSONValue(strings: template.file.filled)))
  }

  package var description: [JSONMember] {
    summary.filter { $0.name != "entities" && $0.name != "tables" }
      + .init(
        ("entities", .array(model.numbered.map(entity))),
        ("tables", .array(template.mapping.tables.map(table))))
  }

  package var summaryLines: [String] {
    let state =
      template.file.filled.isEmpty ? "empty" : "with rows in \(template.file.filledWords)"
    return [
      "\(path.printable): a store of Core Data, \(state); each table and column is explained.",
      "model checksum: \(template.file.metadata.checksum)",
      "framework: \(template.file.metadata.framework)",
      "\(model.entities.count) entities in \(template.mapping.tables.count) tables",
    ]
  }

  package var lines: [String] {
    summaryLines + model.numbered.flatMap { entity in ["", heading(entity)] + properties(entity) }
  }

  private func heading(_ entity: ObjectModel.Entity) -> String {
    let parent = entity.parent.map { ", a \($0)" } ?? ""
    let number = template.file.numbers[entity.name] ?? 0
    return "\(entity.name) (\(number))\(parent)\(entity.isAbstract ? ", abstract" : "")"
  }

  private func properties(_ entity: ObjectModel.Entity) -> [String] {
    entity.attributes.map {
      "  \($0.name): \($0.words)\(places { $0.isAttribute(of: entity.name, $1) }($0.name))"
    }
      + entity.relationships.map {
        let kind = "\($0.isOrdered ? "ordered " : "")\($0.isToOne ? "one" : "many") \($0.destination)"
        return "  \($0.name): \(kind)\(places { $0.isRelationship(of: entity.name, $1) }($0.name))"
      }
  }

  private func places(
    _ isOfProperty: @escaping (TableMapping.Content, String) -> Bool
  ) -> (String) -> String {
    { name in
      let found = template.mapping.tables.flatMap { table in
        table.columns.filter { isOfProperty($0.content, name) }.map { "\(table.name).\($0.name)" }
      }
      return found.isEmpty ? "" : " → \(found.joined(separator: ", "))"
    }
  }

  private func entity(_ entity: ObjectModel.Entity) -> JSONValue {
    .object(
      .init(
        ("name", .string(entity.name)), ("number", template.file.numbers[entity.name].map { .integer($0) }),
        ("parent", JSONValue(entity.parent)), ("abstract", .bool(entity.isAbstract)),
        ("className", JSONValue(entity.className)), ("attributes", .array(entity.attributes.map(\.json))),
        ("relationships", .array(entity.relationships.map(\.json))),
        ("fetched", JSONValue(strings: entity.fetched)),
        ("unique", .array(entity.uniqueness.map { JSONValue(strings: $0) })),
        (
          "indexes",
          .array(
            entity.indexes.map {
              ["name": JSONValue($0.name), "properties": JSONValue(strings: $0.properties)]
            })
        )))
  }

  private func table(_ table: TableMapping.Table) -> JSONValue {
    let rows: JSONValue =
      switch table.kind {
      case .objects(let root): .string(root)
      case .pairs(let one, let other):
        JSONValue(strings: [one, other].map { "\($0.entity).\($0.name)" })
      }
    let columns = table.columns.map { column in
      ["name": .string(column.name), "type": .string(column.type), "holds": .string(column.content.words)]
        as JSONValue
    }
    return ["name": .string(table.name), "rows": rows, "columns": .array(columns)]
  }
}

extension TableMapping.Content {
  fileprivate func isAttribute(of entity: String, _ name: String) -> Bool {
    if case .attribute(entity, let path) = self { path.first == name } else { false }
  }

  fileprivate func isRelationship(of entity: String, _ name: String) -> Bool {
    switch self {
    case .target(let side), .targetEntity(let side), .order(let side), .owner(let side):
      side.entity == entity && side.name == name
    case .key, .entity, .saves, .attribute: false
    }
  }
}

extension ObjectModel.Attribute {
  fileprivate var words: String {
    let marks = [
      isOptional ? "optional" : nil, isTransient ? "transient" : nil, isExternal ? "external" : nil,
      counts.map { "counts \($0)" },
    ].compactMap(\.self)
    return (["\(type)"] + marks).joined(separator: ", ")
  }

  fileprivate var json: JSONValue {
    .object(
      .init(
        ("name", .string(name)), ("type", .string("\(type)")), ("optional", .bool(isOptional)),
        ("transient", .bool(isTransient)), ("external", .bool(isExternal)),
        ("transformer", JSONValue(transformer)),
        ("counts", JSONValue(counts)), ("default", defaultValue?.json ?? .null),
        ("elements", .array(elements.map(\.json)))))
  }
}

extension ObjectModel.Default {
  fileprivate var json: JSONValue {
    switch self {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .real(let value), .date(let value): .string("\(value)")
    case .string(let value): .string(value)
    case .data(let value): .string("\(value.count) bytes")
    case .other(let name): .string(name)
    }
  }
}

extension ObjectModel.Relationship {
  fileprivate var json: JSONValue {
    .object(
      .init(
        ("name", .string(name)), ("destination", .string(destination)), ("inverse", JSONValue(inverse)),
        ("toOne", .bool(isToOne)), ("ordered", .bool(isOrdered)), ("optional", .bool(isOptional)),
        ("transient", .bool(isTransient)), ("deleteRule", .string("\(deleteRule)")),
        ("minimum", .integer(minimum)),
        ("maximum", .integer(maximum))))
  }
}
