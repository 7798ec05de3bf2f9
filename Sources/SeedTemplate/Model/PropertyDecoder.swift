struct PropertyDecoder {
  private let archive: KeyedArchive
  private let object: ArchivedObject
  private let entity: String
  private let number: Int
  private let name: String

  enum Property: Hashable {
    case attribute(ObjectModel.Attribute)
    case relationship(ObjectModel.Relationship)
    case fetched(String)
  }

  private static let commonKeys: Set<String> = [
    "NSEntity", "NSPropertyName", "NSRenamingIdentifier", "NSIsOptional", "NSIsTransient", "NSIsIndexed",
    "NSIsReadOnly", "NSUserInfo", "NSValidationPredicates", "NSValidationWarnings", "NSVersionHashModifier",
    "_P",
  ]
  private static let attributeKeys: Set<String> = commonKeys.union([
    "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSFlagsKey", "NSValueTransformerName",
  ])
  private static let relationshipKeys: Set<String> = commonKeys.union([
    "NSDeleteRule", "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship",
    "_NSInverseRelationshipName", "NSIsOrdered", "NSMaxCount", "NSMinCount",
  ])
  private static let compositeDepth = 16

  init(_ archive: KeyedArchive, _ object: ArchivedObject, entity: String, number: Int, name: String) {
    (self.archive, self.object, self.entity, self.number, self.name) = (archive, object, entity, number, name)
  }

  private var place: String { "\(entity).\(name)" }

  func property() throws -> Property {
    switch object.className {
    case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
      return .attribute(try attribute(object, place, Self.compositeDepth))
    case "NSRelationshipDescription": return .relationship(try relationship())
    case "NSFetchedPropertyDescription":
      let known = Self.commonKeys.union(["NSFetchRequest", "_NSFetchRequestEntityName"])
      _ = try common(ArchivedFields(archive, object, place, known: known))
      return .fetched(name)
    default: throw TemplateProblem(place, "it is a property of an unknown kind, \(object.className)")
    }
  }

  /// Whether this is a proxy of the parent's property, or a copy that is stored in the same way.
  func isInherited(from above: ArchivedObject) throws -> Bool {
    if object.className == "_NSPropertyDescriptionProxy" {
      let known: Set = ["NSEntityDescription", "NSReferenceID", "NSUnderlyingProperty"]
      let fields = try ArchivedFields(archive, object, place, known: known)
      guard above.className == object.className else {
        return try fields.object("NSUnderlyingProperty")?.number == above.number
      }
      let other = try ArchivedFields(archive, above, place, known: known)
      return try fields.object("NSUnderlyingProperty")?.number == other.object("NSUnderlyingProperty")?.number
    }
    guard object.className == above.className else { return false }
    let parent = PropertyDecoder(
      archive, above, entity: entity, number: try owner(of: above), name: name)
    return Self.stored(try property()) == Self.stored(try parent.property())
  }

  private func owner(of property: ArchivedObject) throws -> Int {
    guard case .object(let owner)? = try archive.value("NSEntity", of: property) else { return number }
    return owner.number
  }

  /// The parts that determine columns: a child may have other defaults and validation messages.
  private static func stored(_ property: Property) -> [String] {
    switch property {
    case .fetched(let name): ["fetched", name]
    case .relationship(let it):
      [
        "relationship", it.name, it.destination, it.inverse ?? "",
        "\(it.isToOne) \(it.isOrdered) \(it.isTransient)",
      ]
    case .attribute(let it):
      ["attribute", it.name, "\(it.type) \(it.isTransient) \(it.isExternal)", it.counts ?? ""]
        + it.elements.flatMap { stored(.attribute($0)) }
    }
  }

  private struct Common {
    let isOptional, isTransient: Bool
  }

  /// The keys that all properties have. The packed flags repeat them and must agree.
  private func common(_ fields: ArchivedFields) throws -> Common {
    let common = Common(
      isOptional: try fields.flag("NSIsOptional"), isTransient: try fields.flag("NSIsTransient"))
    let packed = try fields.integer("_P")
    let told: [(bit: Int64, value: Bool)] = [
      (1 << 1, common.isOptional), (1 << 2, try fields.flag("NSIsReadOnly")), (1 << 3, common.isTransient),
    ]
    guard told.allSatisfy({ (packed & $0.bit != 0) == $0.value }) else {
      throw TemplateProblem(fields.place, "its packed flags contradict its keys", .makeNew)
    }
    return common
  }

  private func checkOwner(_ fields: ArchivedFields) throws {
    guard try fields.object("NSEntity")?.number == number else {
      throw TemplateProblem(fields.place, "the model assigns it to another entity", .makeNew)
    }
  }

  private func relationship() throws -> ObjectModel.Relationship {
    let fields = try ArchivedFields(archive, object, place, known: Self.relationshipKeys)
    let common = try common(fields)
    try checkOwner(fields)
    guard try fields.name("NSPropertyName") == name else { throw fields.unexpected("NSPropertyName") }
    guard let rule = ObjectModel.DeleteRule(rawValue: try fields.integer("NSDeleteRule")) else {
      throw TemplateProblem(place, "its delete rule is not known")
    }
    let maximum = try fields.integer("NSMaxCount")
    let isOrdered = try fields.flag("NSIsOrdered")
    guard (try fields.integer("_P") & 1 << 10 != 0) == isOrdered else {
      throw TemplateProblem(place, "its packed flags contradict its keys", .makeNew)
    }
    try checkEnds(fields)
    return ObjectModel.Relationship(
      name: name, destination: try fields.name("_NSDestinationEntityName"),
      inverse: try fields.text("_NSInverseRelationshipName"), isToOne: maximum == 1, isOrdered: isOrdered,
      isOptional: common.isOptional, isTransient: common.isTransient, deleteRule: rule,
      minimum: try fields.integer("NSMinCount"), maximum: maximum)
  }

  /// Destination and inverse are stored twice, as objects and by name, and must agree.
  private func checkEnds(_ fields: ArchivedFields) throws {
    let ends = [
      ("NSDestinationEntity", "NSEntityName", "_NSDestinationEntityName"),
      ("NSInverseRelationship", "NSPropertyName", "_NSInverseRelationshipName"),
    ]
    for (end, key, told) in ends {
      let name: String? =
        if let object = try fields.object(end), case .string(let name)? = try archive.value(key, of: object) {
          name
        } else { nil }
      guard try fields.text(told) == name else {
        throw TemplateProblem(
          place, "it leads to another entity or has another inverse than it names", .makeNew)
      }
    }
  }

  private func attribute(
    _ object: ArchivedObject, _ place: String, _ depth: Int
  ) throws -> ObjectModel.Attribute {
    let isComposite = object.className == "NSCompositeAttributeDescription"
    let isDerived = object.className == "NSDerivedAttributeDescription"
    let known = Self.attributeKeys.union(isComposite ? ["NSCompositeElements"] : [])
      .union(isDerived ? ["NSDerivationExpression", "NSFilteringPredicate"] : [])
    let fields = try ArchivedFields(archive, object, place, known: known)
    let common = try common(fields)
    guard let type = ObjectModel.AttributeType(rawValue: try fields.integer("NSAttributeType")),
      type != .undefined || common.isTransient, (type == .composite) == isComposite
    else {
      throw TemplateProblem(place, "its type \(try fields.integer("NSAttributeType")) is not known")
    }
    try AttributeClass.check(type, try fields.text("NSAttributeValueClassName"), place)
    return ObjectModel.Attribute(
      name: try fields.name("NSPropertyName"), type: type, isOptional: common.isOptional,
      isTransient: common.isTransient, isExternal: try isExternal(fields),
      defaultValue: try defaultValue(fields), transformer: try fields.text("NSValueTransformerName"),
      elements: isComposite ? try elements(fields, depth) : [], counts: isDerived ? try counted(fields) : nil)
  }

  private func elements(_ fields: ArchivedFields, _ depth: Int) throws -> [ObjectModel.Attribute] {
    guard depth > 0 else { throw TemplateProblem(fields.place, "composite attributes are nested too deeply") }
    return try fields.objects("NSCompositeElements").map { element in
      let name = try archive.value("NSPropertyName", of: element)
      guard case .string(let text)? = name, element.className.hasSuffix("AttributeDescription") else {
        throw fields.unexpected("NSCompositeElements")
      }
      return try attribute(element, "\(fields.place).\(text)", depth - 1)
    }
  }

  private enum Flag {
    static let external: Int64 = 4
    /// Keeps a deleted object's value in the history; does not affect columns.
    static let keptInHistory: Int64 = 16
  }

  private func isExternal(_ fields: ArchivedFields) throws -> Bool {
    let flags = try fields.integer("NSFlagsKey")
    guard flags & ~(Flag.external | Flag.keptInHistory) == 0 else {
      throw TemplateProblem(fields.place, "its flags \(flags) are not known")
    }
    return flags & Flag.external != 0
  }

  private func defaultValue(_ fields: ArchivedFields) throws -> ObjectModel.Default? {
    switch try fields.value("NSDefaultValue") {
    case nil, .null?: return nil
    case .bool(let value)?: return .bool(value)
    case .integer(let value)?: return .integer(value)
    case .real(let value)?: return .real(value)
    case .string(let value)?: return .string(value)
    case .date(let value)?: return .date(value)
    case .data(let value)?: return .data(value)
    case .object(let object)?: return .other(className: object.className)
    }
  }

  /// The relationship that a derived attribute counts, the only kind whose triggers are known.
  private func counted(_ fields: ArchivedFields) throws -> String {
    let unknown = TemplateProblem(
      fields.place, "it is derived in another way than by counting a relationship")
    guard try fields.value("NSFilteringPredicate") == nil,
      let count = try fields.object("NSDerivationExpression"),
      case .string("count:")? = try archive.value("NSSelectorName", of: count),
      let path = try onlyArgument(of: count),
      case .string("valueForKey:")? = try archive.value("NSSelectorName", of: path),
      case .object(let subject)? = try archive.value("NSOperand", of: path),
      subject.className == "NSSelfExpression",
      let key = try onlyArgument(of: path), case .string(let name)? = try archive.value("NSKeyPath", of: key)
    else { throw unknown }
    return name
  }

  private func onlyArgument(of expression: ArchivedObject) throws -> ArchivedObject? {
    guard case .object(let list)? = try archive.value("NSArguments", of: expression) else { return nil }
    let arguments = try archive.elements(of: list)
    guard arguments.count == 1, case .object(let argument) = arguments[0] else { return nil }
    return argument
  }
}

/// The class of an attribute's values, which repeats its type.
private enum AttributeClass {
  private static let classes: [ObjectModel.AttributeType: String] = [
    .integer16: "NSNumber", .integer32: "NSNumber", .integer64: "NSNumber", .double: "NSNumber",
    .float: "NSNumber",
    .boolean: "NSNumber", .decimal: "NSDecimalNumber", .string: "NSString", .date: "NSDate",
    .binary: "NSData",
    .uuid: "NSUUID", .uri: "NSURL", .composite: "NSDictionary",
  ]

  static func check(_ type: ObjectModel.AttributeType, _ found: String?, _ place: String) throws {
    guard let known = classes[type], let found, found != known else { return }
    throw TemplateProblem(place, "its values have the class \(found), but its type needs \(known)")
  }
}
