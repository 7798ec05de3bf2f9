extension ObjectModel {
  package init(_ archive: [UInt8]) throws {
    do {
      self = try ObjectModelDecoder(archive: KeyedArchive(archive)).model()
    } catch let problem as TemplateProblem {
      throw problem
    } catch {
      throw TemplateProblem("the store's model", "\(error)", .makeNew)
    }
  }
}

private struct ObjectModelDecoder {
  let archive: KeyedArchive

  /// The largest model found had 25.
  private static let mostEntities = 2_000
  private static let modelKeys: Set<String> = [
    "NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "NSConfigurations",
  ]
  private static let entityKeys: Set<String> = [
    "NSClassNameForEntity", "NSCompoundIndexes", "NSEntityName", "NSFetchIndexDescriptions", "NSIsAbstract",
    "NSManagedObjectModel", "NSProperties", "NSRenamingIdentifier", "NSSubentities", "NSSuperentity",
    "NSUniqueTuples", "NSUserInfo", "NSVersionHashModifier",
  ]

  func model() throws -> ObjectModel {
    guard case .object(let root) = archive.root, root.className == "NSManagedObjectModel" else {
      throw TemplateProblem("the store's model", "it is no NSManagedObjectModel", .makeNew)
    }
    let fields = try ArchivedFields(archive, root, "the store's model", known: Self.modelKeys)
    let identifiers = try fields.elements("NSVersionIdentifiers").map { value in
      guard case .string(let text) = value else { throw fields.unexpected("NSVersionIdentifiers") }
      return text
    }
    let outlines = try outlines(fields)
    try checkLines(outlines)
    let entities = try outlines.values.sorted { $0.name < $1.name }.map { try entity($0, among: outlines) }
    return ObjectModel(
      identifiers: identifiers.sorted(),
      entities: entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }

  private struct Outline {
    let name: String
    let fields: ArchivedFields
    let properties: [String: ArchivedObject]
    let parent: String?
  }

  private func outlines(_ model: ArchivedFields) throws -> [String: Outline] {
    let entries = try model.entries("NSEntities")
    guard !entries.isEmpty else {
      throw TemplateProblem("the store's model", "it has no entities", .makeNew)
    }
    guard entries.count <= Self.mostEntities else {
      throw TemplateProblem("the store's model", "it has more than \(Self.mostEntities) entities")
    }
    let names = Dictionary(
      entries.map { ($0.object.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    return Dictionary(
      uniqueKeysWithValues: try entries.map { name, object in (name, try outline(name, object, names)) })
  }

  private func outline(_ name: String, _ object: ArchivedObject, _ names: [Int: String]) throws -> Outline {
    let fields = try ArchivedFields(archive, object, name, known: Self.entityKeys)
    guard object.className == "NSEntityDescription", try fields.name("NSEntityName") == name else {
      throw TemplateProblem(name, "the model lists another entity under this name", .makeNew)
    }
    let parent = try fields.object("NSSuperentity")
    if let parent, names[parent.number] == nil {
      throw TemplateProblem(name, "its parent is not in the model", .makeNew)
    }
    let properties = try fields.entries("NSProperties")
    return Outline(
      name: name, fields: fields,
      properties: Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.object) }),
      parent: parent.flatMap { names[$0.number] })
  }

  /// Throws if an entity inherits from itself, or if parents and children disagree.
  private func checkLines(_ outlines: [String: Outline]) throws {
    for outline in outlines.values.sorted(by: { $0.name < $1.name }) {
      var (next, steps) = (outline.parent, 0)
      while let name = next {
        steps += 1
        guard steps <= outlines.count else {
          throw TemplateProblem(outline.name, "it inherits from itself", .makeNew)
        }
        next = outlines[name]?.parent
      }
      let children = try Set(outline.fields.entries("NSSubentities").map(\.name))
      let found = Set(outlines.values.filter { $0.parent == outline.name }.map(\.name))
      guard children == found else {
        throw TemplateProblem(
          outline.name, "the model names other entities below it than inherit from it", .makeNew)
      }
    }
  }

  private func entity(_ outline: Outline, among outlines: [String: Outline]) throws -> ObjectModel.Entity {
    let inherited = outline.parent.flatMap { outlines[$0] }?.properties ?? [:]
    var own = OwnProperties()
    for (name, object) in outline.properties.sorted(by: { $0.key < $1.key }) {
      let decoder = PropertyDecoder(
        archive, object, entity: outline.name, number: outline.fields.object.number, name: name)
      guard let above = inherited[name] else {
        own.add(try decoder.property())
        continue
      }
      // A child has a copy of each inherited property, or a proxy of it in older stores.
      guard try decoder.isInherited(from: above) else {
        throw TemplateProblem(
          "\(outline.name).\(name)", "it is another property than the one of the same name above it")
      }
    }
    if let missing = inherited.keys.sorted().first(where: { outline.properties[$0] == nil }) {
      throw TemplateProblem("\(outline.name).\(missing)", "it is not inherited", .makeNew)
    }
    return try entity(outline, own)
  }

  private func entity(_ outline: Outline, _ own: OwnProperties) throws -> ObjectModel.Entity {
    let fields = outline.fields
    let names = Set(outline.properties.keys)
    return ObjectModel.Entity(
      name: outline.name, className: try fields.text("NSClassNameForEntity"),
      isAbstract: try fields.flag("NSIsAbstract"), parent: outline.parent, attributes: own.attributes,
      relationships: own.relationships, fetched: own.fetched,
      uniqueness: try fields.objects("NSUniqueTuples").map { try self.names($0, fields, among: names) },
      indexes: try indexes(fields, among: names))
  }

  private func names(_ list: ArchivedObject, _ fields: ArchivedFields, among properties: Set<String>) throws
    -> [String]
  {
    try archive.elements(of: list).map { value in
      guard case .string(let name) = value, properties.contains(name) else {
        throw TemplateProblem(fields.place, "a constraint or an index names no property")
      }
      return name
    }
  }

  private func indexes(_ fields: ArchivedFields, among properties: Set<String>) throws -> [ObjectModel.Index]
  {
    let compound = try fields.objects("NSCompoundIndexes").map {
      ObjectModel.Index(name: nil, properties: try names($0, fields, among: properties))
    }
    let fetch = try fields.objects("NSFetchIndexDescriptions").map {
      try index($0, fields, among: properties)
    }
    return compound + fetch
  }

  private func index(
    _ object: ArchivedObject, _ entity: ArchivedFields, among properties: Set<String>
  ) throws -> ObjectModel.Index {
    let fields = try ArchivedFields(
      archive, object, entity.place,
      known: ["NSEntity", "NSIndexElements", "NSIndexName", "NSPartialIndexPredicate"])
    let name = try fields.name("NSIndexName")
    guard try fields.value("NSPartialIndexPredicate") == nil else {
      throw TemplateProblem("\(entity.place), index \(name)", "it is partial")
    }
    return ObjectModel.Index(
      name: name,
      properties: try fields.objects("NSIndexElements").map {
        try element($0, "\(entity.place), index \(name)", properties)
      })
  }

  private func element(_ object: ArchivedObject, _ place: String, _ properties: Set<String>) throws -> String
  {
    let fields = try ArchivedFields(
      archive, object, place,
      known: ["NSAscending", "NSFetchIndexDescription", "NSFetchIndexElementType", "NSPropertyName"])
    let name = try fields.name("NSPropertyName")
    guard try fields.integer("NSFetchIndexElementType") == 0, try fields.flag("NSAscending") else {
      throw TemplateProblem("\(place), \(name)", "it is neither binary nor ascending")
    }
    guard properties.contains(name) else {
      throw TemplateProblem("\(place), \(name)", "the entity has no such property")
    }
    return name
  }
}

private struct OwnProperties {
  var attributes: [ObjectModel.Attribute] = []
  var relationships: [ObjectModel.Relationship] = []
  var fetched: [String] = []

  mutating func add(_ property: PropertyDecoder.Property) {
    switch property {
    case .attribute(let attribute): attributes.append(attribute)
    case .relationship(let relationship): relationships.append(relationship)
    case .fetched(let name): fetched.append(name)
    }
  }
}
