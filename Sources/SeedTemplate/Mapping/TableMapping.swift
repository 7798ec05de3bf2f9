/// What each table and column of a store holds, in the terms of its model.
package struct TableMapping: Hashable, Sendable {
  /// In the schema's order, without Core Data's own tables and those of the history.
  package let tables: [Table]
  /// Triggers that keep derived attributes, by name.
  package let triggers: [String]

  /// One table.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let columns: [Column]
  }

  /// What a table's rows are.
  package enum Kind: Hashable, Sendable {
    /// The objects of an entity without a parent, and of all that inherit from it.
    case objects(root: String)
    /// The pairs of a relationship that is to-many on both sides.
    case pairs(Side, Side)
  }

  /// One side of a relationship.
  package struct Side: Hashable, Sendable {
    /// The entity that declares it.
    package let entity: String
    package let name: String

    /// The side of that entity.
    package init(entity: String, name: String) { (self.entity, self.name) = (entity, name) }
  }

  /// One column.
  package struct Column: Hashable, Sendable {
    package let name: String
    /// As the table declares it.
    package let type: String
    package let content: Content
  }

  /// What a column holds.
  package enum Content: Hashable, Sendable {
    /// `Z_PK`, the key of an object within its table.
    case key
    /// `Z_ENT`, the number of an object's own entity.
    case entity
    /// `Z_OPT`, how often an object was saved.
    case saves
    /// An attribute, or an element of a composite one, as a path.
    case attribute(entity: String, path: [String])
    /// The key of the related object.
    case target(Side)
    /// The number of the related object's own entity.
    case targetEntity(Side)
    /// The place of an object among those that an ordered relationship reaches.
    case order(Side)
    /// The key of the object whose relationship, which nothing leads back from, reaches this one.
    case owner(Side)
  }

  /// The column of an entity's property, its own or an inherited one: what an index is made of.
  func column(of property: String, _ entity: String, in model: ObjectModel) -> String? {
    let line = Set(model.line(of: entity).map(\.name))
    let root = model.root(of: entity)
    return tables.first { $0.kind == .objects(root: root) }?.columns.first { column in
      switch column.content {
      case .attribute(let owner, let path): line.contains(owner) && path == [property]
      case .target(let side): line.contains(side.entity) && side.name == property
      default: false
      }
    }?.name
  }
}

/// A column that the model asks for.
struct WantedColumn {
  /// The name where no other column of the table wants it.
  let name: String
  let type: String
  let content: TableMapping.Content
  /// The number of the entity that declares it.
  let owner: Int64
  /// The property's name, and that of an element below it.
  let path: [String]

  /// How the declared types follow from an attribute's.
  private static let types: [ObjectModel.AttributeType: String] = [
    .integer16: "INTEGER", .integer32: "INTEGER", .integer64: "INTEGER", .boolean: "INTEGER",
    .double: "FLOAT",
    .float: "FLOAT", .decimal: "DECIMAL", .date: "TIMESTAMP", .string: "VARCHAR", .uri: "VARCHAR",
    .uuid: "BLOB",
    .binary: "BLOB", .transformable: "BLOB",
  ]

  /// The columns of an attribute: one, or one for each element of a composite one, at any depth.
  static func columns(
    of attribute: ObjectModel.Attribute, _ entity: ObjectModel.Entity, _ number: Int64,
    below path: [String] = []
  ) -> [WantedColumn] {
    let path = path + [attribute.name]
    guard !attribute.isTransient else { return [] }
    guard let type = types[attribute.type] else {
      return attribute.elements.flatMap { columns(of: $0, entity, number, below: path) }
    }
    return [
      WantedColumn(
        name: "Z" + attribute.name.uppercased(), type: type,
        content: .attribute(entity: entity.name, path: path),
        owner: number, path: path)
    ]
  }

  static let system: [WantedColumn] = [
    ("Z_PK", TableMapping.Content.key), ("Z_ENT", .entity), ("Z_OPT", .saves),
  ].map { WantedColumn(name: $0.0, type: "INTEGER", content: $0.1, owner: 0, path: []) }
}
