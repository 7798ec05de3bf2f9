/// A managed object model, reduced to what determines a store's tables.
package struct ObjectModel: Hashable, Sendable {
  /// The app's names for the version; often empty.
  package let identifiers: [String]
  /// By name, in byte order.
  package let entities: [Entity]
  private let places: [String: Int]

  init(identifiers: [String], entities: [Entity]) {
    (self.identifiers, self.entities) = (identifiers, entities)
    places = Dictionary(
      entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// One entity with its own properties, without inherited ones.
  package struct Entity: Hashable, Sendable {
    package let name: String
    package let className: String?
    package let isAbstract: Bool
    package let parent: String?
    package let attributes: [Attribute]
    package let relationships: [Relationship]
    /// Fetched properties, which have no column.
    package let fetched: [String]
    package let uniqueness: [[String]]
    package let indexes: [Index]
  }

  package struct Index: Hashable, Sendable {
    /// nil for an index of the old kind.
    package let name: String?
    package let properties: [String]
  }

  package enum AttributeType: Int64, Hashable, Sendable {
    /// Allowed for transient attributes.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case composite = 2100
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let type: AttributeType
    package let isOptional: Bool
    package let isTransient: Bool
    /// Bytes that may be stored in a separate file.
    package let isExternal: Bool
    package let defaultValue: Default?
    package let transformer: String?
    /// For a composite attribute, in the model's order.
    package let elements: [Attribute]
    /// For a derived attribute: the relationship whose objects it counts.
    package let counts: String?
  }

  /// A default value; of other classes, only the name is kept.
  package enum Default: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Double)
    case data([UInt8])
    case other(className: String)
  }

  package enum DeleteRule: Int64, Hashable, Sendable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
  }

  package struct Relationship: Hashable, Sendable {
    package let name: String
    package let destination: String
    package let inverse: String?
    package let isToOne: Bool
    package let isOrdered: Bool
    package let isOptional: Bool
    package let isTransient: Bool
    package let deleteRule: DeleteRule
    package let minimum, maximum: Int64
  }
}

extension ObjectModel {
  package subscript(name: String) -> Entity? { places[name].map { entities[$0] } }

  package func children(of name: String) -> [Entity] { entities.filter { $0.parent == name } }

  /// The entity and its ancestors, up to the root.
  package func line(of name: String) -> [Entity] {
    var line: [Entity] = []
    var next = self[name]
    while let entity = next {
      line.append(entity)
      next = entity.parent.flatMap { self[$0] }
    }
    return line
  }

  /// The entity that owns an entity's table.
  package func root(of name: String) -> String { line(of: name).last?.name ?? name }

  /// An entity's own or inherited relationship, with the declaring entity.
  package func relationship(_ name: String, of entity: String) -> (owner: Entity, Relationship)? {
    for owner in line(of: entity) {
      if let found = owner.relationships.first(where: { $0.name == name }) { return (owner, found) }
    }
    return nil
  }

  /// The entities in the order of their numbers in stores: roots by name, each followed by its descendants.
  package var numbered: [Entity] {
    func walk(_ entities: [Entity]) -> [Entity] { entities.flatMap { [$0] + walk(children(of: $0.name)) } }
    return walk(entities.filter { $0.parent == nil })
  }
}

/// A reason why a store cannot be a template, with place and remedy.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity, attribute, key, table or column.
  package let place: String
  package let problem: String
  package let remedy: String

  package init(_ place: String, _ problem: String, _ remedy: Remedy = .report) {
    (self.place, self.problem, self.remedy) = (place, problem, remedy.text)
  }

  package struct Remedy: Sendable, ExpressibleByStringInterpolation {
    let text: String

    package init(stringLiteral text: String) { self.text = text }

    /// For a valid store with features that Seedbank does not support.
    package static let report: Remedy =
      "Seedbank does not support it: leave it out of the model, or send the maintainers an empty store with it"

    /// For an unsuitable store.
    package static let makeNew: Remedy =
      "let the app make a new, empty store of this model, as in the article CoreData, and take that"
  }

  package var description: String { "\(place): \(problem); \(remedy)" }
}
