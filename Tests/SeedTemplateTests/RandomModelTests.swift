import Foundation
import SeedFormat
import SeedTemplate
import Support
import Testing

/// Random models, whose stores come from `make_store.py`, an independent implementation.
@Suite("Random models")
struct RandomModelTests {
  @Test("each column of a random model's store is mapped as its maker did", arguments: [41, 42])
  func columns(seed: Int) throws {
    let maker = try StoreMaker()
    var random = SplitMix(seed: UInt64(seed))
    for round in 0..<(Stage.isDeep ? 200 : 12) {
      let model = RandomModel(&random)
      let path = try maker.store(model.json)
      let wanted = try String(contentsOfFile: path + ".columns", encoding: .utf8).split(separator: "\n")
      let template = try Template(reading: path)
      let found = template.mapping.tables.flatMap { table in
        table.columns.map { "\(table.name).\($0.name) = \($0.content.words)" }
      }
      #expect(
        found.sorted() == wanted.map(String.init).sorted(), "seed \(seed), round \(round): \(model.json.text)"
      )
    }
  }
}

/// Entities in a few trees with attributes of all types, equal names in siblings, and all kinds of relationships.
private struct RandomModel {
  private struct Entity {
    let name: String
    let parent: Int?
    var attributes: [JSONValue] = []
    var relationships: [JSONValue] = []
  }

  private static let types: [Int64] = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800]
  private static let names = ["Apple", "Birch", "Cedar", "Date", "Elm", "Fig", "Grape", "Hazel", "Iris"]
  private var entities: [Entity] = []
  private var relationships = 0

  init(_ random: inout SplitMix) {
    for name in Self.names.shuffled(using: &random).prefix(Int.random(in: 1...9, using: &random)) {
      let parent =
        entities.isEmpty || random.chance(50) ? nil : Int.random(in: entities.indices, using: &random)
      entities.append(Entity(name: name, parent: parent))
    }
    for index in entities.indices { addAttributes(to: index, &random) }
    for _ in 0..<Int.random(in: 0...12, using: &random) { addRelationship(&random) }
  }

  /// Siblings may share names; an entity and its parents may not.
  private mutating func addAttributes(to index: Int, _ random: inout SplitMix) {
    var depth = 0
    var next = entities[index].parent
    while let parent = next { (next, depth) = (entities[parent].parent, depth + 1) }
    for stem in ["name", "code", "text"] where random.chance(70) {
      let name = stem + String(repeating: "x", count: depth)
      let type = JSONValue.integer(random.pick(Self.types))
      var attribute: [JSONMember] = [
        JSONMember("name", .string(name)), JSONMember("optional", .bool(random.chance(50))),
      ]
      if random.chance(20) {
        attribute.append(
          JSONMember("elements", [["name": "name", "type": type], ["name": "part", "type": 500]]))
      } else {
        attribute += [JSONMember("type", type), JSONMember("transient", .bool(random.chance(10)))]
      }
      entities[index].attributes.append(.object(attribute))
    }
  }

  private mutating func addRelationship(_ random: inout SplitMix) {
    let (one, other) = (
      Int.random(in: entities.indices, using: &random), Int.random(in: entities.indices, using: &random)
    )
    relationships += 1
    let (there, back) = ("r\(relationships)there", "r\(relationships)back")
    let isFree = entities[one].parent == nil && !entities.contains { $0.parent == one }
    if random.chance(20) {
      // Without an inverse.
      let isMany = isFree && random.chance(50)
      add(one, there, other, nil, many: isMany, ordered: false)
    } else {
      let many = (random.chance(60), random.chance(60))
      add(one, there, other, back, many: many.0, ordered: many.0 && random.chance(40))
      add(other, back, one, there, many: many.1, ordered: many.1 && random.chance(40))
    }
  }

  private mutating func add(
    _ owner: Int, _ name: String, _ destination: Int, _ inverse: String?, many: Bool, ordered: Bool
  ) {
    entities[owner].relationships.append([
      "name": .string(name), "to": .string(entities[destination].name), "inverse": JSONValue(inverse),
      "many": .bool(many), "ordered": .bool(ordered),
    ])
  }

  var json: JSONValue {
    let list = entities.map { entity in
      [
        "name": .string(entity.name), "parent": JSONValue(entity.parent.map { entities[$0].name }),
        "attributes": .array(entity.attributes), "relationships": .array(entity.relationships),
      ] as JSONValue
    }
    return ["entities": .array(list)]
  }
}
