/// A managed object model, as far as it says what a store's tables hold.
package struct ObjectModel: Hashable, Sendable {
  /// What the app calls its version; often empty.
  package let identifiers: [String]
  /// By name, in the order of their bytes.
  package let entities: [Entity]
  /// Where each entity stands among them.
  private let places: [String: Int]

  init(identifiers: [String], entities: [Entity]) {
    (self.identifiers, self.entities) = (identifiers, entities)
    places = Dictionary(
      entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// One entity with the properties that it declares itself; those of its parents are theirs.
  package struct Entity: Hashable, Sendable {
    package let name: String
    package let className: String?
    package let isAbstract: Bool
    /// The entity that it inherits from.
    package let parent: String?
    /// By name.
    package let attributes: [Attribute]
    /// By name.
    package let relationships: [Relationship]
    /// Fetched properties, which have no column.
    package let fetched: [String]
    /// Properties of which no two objects may have the same values.
    package let uniqueness: [[String]]
    package let indexes: [Index]
  }

  /// An index that the model asks for.
  package struct Index: Hashable, Sendable {
    /// nil for one of the old kind, which has none.
    package let name: String?
    package let properties: [String]
  }

  /// What an attribute's values are.
  package enum AttributeType: Int64, Hashable, Sendable {
    /// Allowed for what is not stored.
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

  /// An attribute, or an element of a composite one.
  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let type: AttributeType
    package let isOptional: Bool
    /// Not stored.
    package let isTransient: Bool
    /// Bytes that may lie in a file of their own.
    package let isExternal: Bool
    package let defaultValue: Default?
    /// Of a transformable one.
    package let transformer: String?
    /// Of a composite one, in the model's order.
    package let elements: [Attribute]
    /// The relationship whose objects are counted, of a derived one.
    package let counts: String?
  }

  /// A default; what is no plain value is only known to be there.
  package enum Default: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Double)
    case data([UInt8])
    case other(className: String)
  }

  /// What becomes of related objects when one is deleted.
  package enum DeleteRule: Int64, Hashable, Sendable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
  }

  /// A relationship.
  package struct Relationship: Hashable, Sendable {
    package let name: String
    /// The entity of the related objects.
    package let destination: String
    /// The destination's relationship that leads back.
    package let inverse: String?
    package let isToOne: Bool
    package let isOrdered: Bool
    package let isOptional: Bool
    /// Not stored.
    package let isTransient: Bool
    package let deleteRule: DeleteRule
    package let minimum, maximum: Int64
  }
}

extension ObjectModel {
  /// The entity of that name.
  package subscript(name: String) -> Entity? { places[name].map { entities[$0] } }

  /// The entities that inherit from one directly, by name.
  package func children(of name: String) -> [Entity] { entities.filter { $0.parent == name } }

  /// The entity, its parent and so on, up to the one that inherits from none.
  package func line(of name: String) -> [Entity] {
    var line: [Entity] = []
    var next = self[name]
    while let entity = next {
      line.append(entity)
      next = entity.parent.flatMap { self[$0] }
    }
    return line
  }

  /// The entity whose table an entity's objects lie in.
  package func root(of name: String) -> String { line(of: name).last?.name ?? name }

  /// An entity's attribute or relationship of that name, its own or inherited, with the entity that declares it.
  package func relationship(_ name: String, of entity: String) -> (owner: Entity, Relationship)? {
    for owner in line(of: entity) {
      if let found = owner.relationships.first(where: { $0.name == name }) { return (owner, found) }
    }
    return nil
  }

  /// The entities in the order in which stores number them: roots by name, and behind each its children, in the same way.
  package var numbered: [Entity] {
    func walk(_ entities: [Entity]) -> [Entity] { entities.flatMap { [$0] + walk(children(of: $0.name)) } }
    return walk(entities.filter { $0.parent == nil })
  }
}

/// Why a store is no template: where, what, and what to do.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity, attribute, key, table or column.
  package let place: String
  package let problem: String
  package let remedy: String

  package init(_ place: String, _ problem: String, _ remedy: String = TemplateProblem.report) {
    (self.place, self.problem, self.remedy) = (place, problem, remedy)
  }

  /// The remedy for what is in order for Apple's frameworks and was never seen here.
  package static let report =
    "Seedbank reads only what it can explain: leave it out of the model, or send the maintainers an empty store with it"

  /// The remedy for a store that was not made for this.
  package static let makeNew =
    "let the app make a new, empty store of this model, as the article CoreData says, and take that"

  package var description: String { "\(place): \(problem); \(remedy)" }
}
