/// The model's meaning of each table and column of a store.
package struct TableMapping: Hashable, Sendable {
  /// In schema order, without Core Data's own and history tables.
  package let tables: [Table]
  package let triggers: [String]

  package struct Table: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let columns: [Column]
  }

  package enum Kind: Hashable, Sendable {
    /// The objects of an entity without a parent, and of all its descendants.
    case objects(root: String)
    /// The pairs of a many-to-many relationship.
    case pairs(Side, Side)
  }

  package struct Side: Hashable, Sendable {
    /// The declaring entity.
    package let entity: String
    package let name: String

    package init(entity: String, name: String) { (self.entity, self.name) = (entity, name) }
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    package let type: String
    package let content: Content
  }

  package enum Content: Hashable, Sendable {
    /// `Z_PK`, an object's key within its table.
    case key
    /// `Z_ENT`, the number of an object's entity.
    case entity
    /// `Z_OPT`, the number of times an object was saved.
    case saves
    /// The path of an attribute, or of an element of a composite one.
    case attribute(entity: String, path: [String])
    case target(Side)
    /// The number of the related object's entity.
    case targetEntity(Side)
    /// An object's position in an ordered relationship.
    case order(Side)
    /// The key of the object whose relationship without an inverse references this one.
    case owner(Side)
  }

  /// The column of an entity's own or inherited property, for indexes.
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

struct WantedColumn {
  /// The name unless another column of the table has the same.
  let name: String
  let type: String
  let content: TableMapping.Content
  /// The number of the declaring entity.
  let owner: Int64
  /// The property's name, followed by that of a composite's element.
  let path: [String]

  private static let types: [ObjectModel.AttributeType: String] = [
    .integer16: "INTEGER", .integer32: "INTEGER", .integer64: "INTEGER", .boolean: "INTEGER",
    .double: "FLOAT",
    .float: "FLOAT", .decimal: "DECIMAL", .date: "TIMESTAMP", .string: "VARCHAR", .uri: "VARCHAR",
    .uuid: "BLOB",
    .binary: "BLOB", .transformable: "BLOB",
  ]

  /// The columns of an attribute: one, or one for each element of a composite at any depth.
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
