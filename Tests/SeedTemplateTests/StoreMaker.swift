import Foundation
import SeedDatabase
import SeedFormat
import SeedTemplate
import Support

/// Makes stores like Core Data. `make_store.py` implements the rules independently and uses plistlib.
struct StoreMaker {
  private let folder: TemporaryFolder
  private let script: String

  init() throws {
    folder = try TemporaryFolder()
    script = try SeedTemplateTests.script("make_store.py")
  }

  /// The path of a new store of this model, optionally modified by SQL.
  func store(_ model: JSONValue, _ sql: String...) throws -> String {
    let (path, description) = (folder("App.store"), folder("model.json"))
    try Data(model.bytes).write(to: URL(filePath: description))
    let output = try python(script, [path, description])
    guard output.isEmpty else { throw StoreNotMade(output: output) }
    try change(path, sql)
    return path
  }

  func callAsFunction(_ name: String) -> String { folder(name) }

  func change(_ path: String, _ sql: [String]) throws {
    guard !sql.isEmpty else { return }
    let connection = try Connection(path, .own)
    for statement in sql { try connection.execute(statement) }
  }

  struct StoreNotMade: Error {
    let output: String
  }
}

enum Transit {
  static let model = model()

  /// With falsified values in the archive: class, name, key and value.
  static func model(_ lies: [JSONValue] = [], _ more: [JSONMember] = []) -> JSONValue {
    .object(
      [
        JSONMember("entities", parsed),
        JSONMember("archive", .array(lies)),
      ] + more)
  }

  private static let parsed: JSONValue = {
    do { return try JSONValue(parsing: Array(entities.utf8)) } catch { preconditionFailure("\(error)") }
  }()

  private static let entities = """
    [{"name": "Stop", "unique": [["code"]], "indexes": [{"name": "byName", "properties": ["name", "opened"]}], "fetched": ["near"],
      "attributes": [
      {"name": "code", "type": 700, "optional": false}, {"name": "name", "type": 700, "default": "?"},
      {"name": "zone", "type": 100, "default": 1}, {"name": "passengers", "type": 200}, {"name": "serial", "type": 300},
      {"name": "fare", "type": 400}, {"name": "latitude", "type": 500}, {"name": "height", "type": 600},
      {"name": "isOpen", "type": 800, "optional": false, "default": false}, {"name": "opened", "type": 900},
      {"name": "sign", "type": 1000, "external": true}, {"name": "uuid", "type": 1100}, {"name": "page", "type": 1200},
      {"name": "colour", "type": 1800}, {"name": "cache", "type": 0, "transient": true},
      {"name": "place", "elements": [{"name": "street", "type": 700}, {"name": "inner", "elements": [{"name": "name", "type": 700}]}]}],
      "relationships": [{"name": "lines", "to": "Line", "inverse": "stops", "many": true, "digits": "1"}]},
     {"name": "Line", "attributes": [{"name": "tripCount", "type": 300, "counts": "trips"}],
      "relationships": [{"name": "stops", "to": "Stop", "inverse": "lines", "many": true, "ordered": true},
      {"name": "trips", "to": "Trip", "inverse": "line", "many": true, "ordered": true},
      {"name": "notes", "to": "Note", "many": true}]},
     {"name": "Note", "attributes": [{"name": "text", "type": 700}]},
     {"name": "Trip", "relationships": [{"name": "line", "to": "Line", "inverse": "trips"},
      {"name": "vehicle", "to": "Vehicle", "inverse": "trips"}]},
     {"name": "Vehicle", "abstract": true, "attributes": [{"name": "number", "type": 300}],
      "relationships": [{"name": "trips", "to": "Trip", "inverse": "vehicle", "many": true},
      {"name": "helps", "to": "Vehicle", "inverse": "helpedBy", "many": true},
      {"name": "helpedBy", "to": "Vehicle", "inverse": "helps", "many": true}]},
     {"name": "Bus", "parent": "Vehicle", "attributes": [{"name": "text", "type": 700}]},
     {"name": "Tram", "parent": "Vehicle", "attributes": [{"name": "text", "type": 1000}]},
     {"name": "NightBus", "parent": "Bus", "attributes": [{"name": "light", "type": 800}]}]
    """
}
