import Foundation
import SeedDatabase
import SeedFormat
import SeedTemplate
import Support
import Testing

/// A store with an unknown feature is rejected, and the message names the feature.
@Suite("Rejected templates")
struct TemplateRefusalTests {
  private let maker: StoreMaker

  init() throws { maker = try StoreMaker() }

  private func refusal(_ path: String) -> String {
    do {
      _ = try Template(reading: path)
      return "accepted"
    } catch {
      return "\(error)"
    }
  }

  /// Falsified archive values, with the expected message.
  private static let archiveLies: [(lie: JSONValue, words: String)] = [
    (["NSAttributeDescription", "name", "NSAttributeType", 2000], "Stop.name: its type 2000"),
    (
      ["NSAttributeDescription", "name", "NSAttributeType", 300],
      "Stop.name: its values have the class"
    ),
    (
      ["NSAttributeDescription", "serial", "NSAttributeType", 500],
      "Stop.serial: the column ZSTOP.ZSERIAL is INTEGER"
    ),
    (["NSAttributeDescription", "name", "NSFlagsKey", 8], "Stop.name: its flags 8"),
    (["NSAttributeDescription", "name", "NSFuture", 1], "Stop.name: the key NSFuture"),
    (["NSAttributeDescription", "name", "NSIsOptional", .null], "Stop.name: its packed flags"),
    (
      ["NSAttributeDescription", "name", "_P", .null],
      "Stop.name: the key _P of NSAttributeDescription is missing"
    ),
    (
      ["NSAttributeDescription", "name", "_P", "x"],
      "Stop.name: the key _P of NSAttributeDescription has a value"
    ),
    (["NSAttributeDescription", "name", "NSPropertyName", "title"], "ZSTOP has no column ZTITLE"),
    (["NSAttributeDescription", "name", "NSPropertyName", "na me"], "Stop.name: the name \"na me\""),
    (["NSAttributeDescription", "isOpen", "NSIsTransient", true], "Stop.isOpen: its packed flags"),
    (["NSAttributeDescription", "cache", "NSAttributeType", 700], "accepted"),
    (["NSAttributeDescription", "sign", "NSFlagsKey", 5], "Stop.sign: its flags 5"),
    (
      ["NSCompositeAttributeDescription", "place", "NSCompositeElements", .null],
      "nothing in the model explains"
    ),
    (["NSCompositeAttributeDescription", "place", "NSAttributeType", 700], "Stop.place: its type 700"),
    (
      ["NSDerivedAttributeDescription", "tripCount", "NSDerivationExpression", .null],
      "Line.tripCount: it is derived"
    ),
    (["NSKeyPathSpecifierExpression", .null, "NSKeyPath", "stops"], "Line.tripCount: it counts"),
    (["NSFunctionExpression", .null, "NSSelectorName", "sum:"], "Line.tripCount: it is derived"),
    (["NSRelationshipDescription", "line", "NSMaxCount", 0], "ZTRIP.ZLINE: nothing"),
    (["NSRelationshipDescription", "stops", "NSMaxCount", 1], "Line.stops"),
    (["NSRelationshipDescription", "stops", "NSIsOrdered", .null], "Line.stops: its packed flags"),
    (["NSRelationshipDescription", "line", "NSDeleteRule", 7], "Trip.line: its delete rule"),
    (
      ["NSRelationshipDescription", "line", "_NSDestinationEntityName", "Tram"],
      "Trip.line: it leads to another entity"
    ),
    (
      ["NSRelationshipDescription", "line", "_NSDestinationEntityName", "Ferry"],
      "Trip.line: it leads to another entity"
    ),
    (
      ["NSRelationshipDescription", "line", "_NSInverseRelationshipName", "stops"],
      "Trip.line: it leads to another entity"
    ),
    (
      ["NSRelationshipDescription", "helps", "_NSInverseRelationshipName", "helps"],
      ".helps: it leads to another entity"
    ),
    (["NSRelationshipDescription", "line", "NSFuture", true], "Trip.line: the key NSFuture"),
    (["NSEntityDescription", "Note", "NSFuture", true], "Note: the key NSFuture"),
    (["NSEntityDescription", "Note", "NSEntityName", "Memo"], "Note: the model lists another entity"),
    (["NSEntityDescription", "Note", "NSProperties", .null], "ZNOTE.ZTEXT: nothing in the model"),
    (["NSEntityDescription", "Bus", "NSSuperentity", .null], "Vehicle: the model names other entities"),
    (["NSEntityDescription", "Vehicle", "NSSubentities", .null], "Vehicle: the model names other entities"),
    (["NSEntityDescription", "Stop", "NSUniqueTuples", .null], "Z_Stop_UNIQUE_code: nothing in the model"),
    (
      ["NSEntityDescription", "Stop", "NSFetchIndexDescriptions", .null],
      "Z_Stop_byName: nothing in the model"
    ),
    (["NSFetchIndexDescription", "byName", "NSPartialIndexPredicate", "x"], "index byName: it is partial"),
    (
      ["NSFetchIndexElementDescription", "opened", "NSFetchIndexElementType", 1],
      "byName, opened: it is neither"
    ),
    (
      ["NSFetchIndexElementDescription", "opened", "NSPropertyName", "closed"],
      "byName, closed: the entity has no"
    ),
    (["NSManagedObjectModel", .null, "NSEntities", .null], "it has no entities"),
    (["NSManagedObjectModel", .null, "NSFuture", 1], "the key NSFuture of NSManagedObjectModel"),
  ]

  @Test("a falsified model is rejected with entity, property and key", .full)
  func archive() throws {
    for (lie, words) in Self.archiveLies {
      let found = refusal(try maker.store(Transit.model([lie])))
      #expect(found.contains(words), "\(lie.text): \(found)")
    }
  }

  private static let sqlLies: [(sql: String, words: String)] = [
    ("CREATE TABLE ZEXTRA ( Z_PK INTEGER PRIMARY KEY )", "ZEXTRA: nothing in the model explains this table"),
    ("CREATE TABLE ANSCKEVENT ( Z_PK INTEGER PRIMARY KEY )", "mirrored with CloudKit"),
    ("CREATE VIEW later AS SELECT 1", "later: it is a view"),
    ("CREATE VIRTUAL TABLE words USING fts5(text)", "words: it is no ordinary table"),
    ("ALTER TABLE ZNOTE ADD COLUMN ZMORE VARCHAR", "ZNOTE"),
    ("ALTER TABLE ZNOTE RENAME TO ZMEMO", "ZMEMO: the table was changed by a migration in place"),
    ("DROP TABLE ZNOTE", "Note: the store has no table ZNOTE"),
    ("DROP TABLE Z_1STOPS", "the store has no table"),
    ("DROP TABLE Z_MODELCACHE", "Z_MODELCACHE missing"),
    ("DROP INDEX Z_Stop_UNIQUE_code", "Z_Stop_UNIQUE_code: the index of a uniqueness constraint is missing"),
    ("CREATE INDEX mine ON ZSTOP (ZNAME)", "mine: nothing in the model explains this index"),
    ("CREATE UNIQUE INDEX ZSTOP_ZNAME_INDEX ON ZSTOP (ZNAME)", "ZSTOP_ZNAME_INDEX: nothing in the model"),
    ("CREATE INDEX Z_1STOPS_Z_2STOPS_INDEX ON Z_1STOPS (Z_3STOPS, Z_1LINES1)", "Z_1STOPS_Z_2STOPS_INDEX"),
    ("CREATE INDEX part ON ZSTOP (ZNAME) WHERE ZNAME > 1", "part: nothing"),
    (
      "CREATE TRIGGER t AFTER INSERT ON ZSTOP BEGIN SELECT 1; END",
      "t: nothing in the model explains this trigger"
    ),
    (
      "DROP TRIGGER Z_DA_ZTRIP_Line_tripCount_PARAMETER_DELETE",
      "the trigger of a derived attribute is missing"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Memo' WHERE Z_NAME = 'Note'",
      "Z_PRIMARYKEY, Memo: the entity is in only one"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_NAME = 'Note'",
      "Z_PRIMARYKEY, Note: its number or its parent"
    ),
    ("UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_NAME = 'Tram'", "Z_PRIMARYKEY, Tram: its number"),
    ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tram'", "Z_PRIMARYKEY, Tram"),
    ("DELETE FROM Z_METADATA", "Z_METADATA: it does not have the one row"),
    ("UPDATE Z_METADATA SET Z_VERSION = 2", "Z_METADATA: it does not have the one row of version 1"),
    ("UPDATE Z_METADATA SET Z_PLIST = x'00'", "Z_METADATA: the property list cannot be read"),
    ("DELETE FROM Z_MODELCACHE", "Z_MODELCACHE: it does not have one row"),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'ffff'", "Z_MODELCACHE: the model cannot be expanded"),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0300'", "the store's model: the property list cannot be read"),
  ]

  @Test("a store with falsified tables is rejected with table, column or index", .full)
  func tables() throws {
    for (sql, words) in Self.sqlLies {
      let found = refusal(try maker.store(Transit.model, sql))
      #expect(found.contains(words), "\(sql): \(found)")
    }
  }

  @Test("metadata that contradicts the model is rejected")
  func metadata() throws {
    for (key, words) in [
      (
        "NSStoreModelVersionChecksumKey",
        "NSStoreModelVersionChecksumKey: it does not match the version hashes"
      ),
      ("NSStoreModelVersionHashesDigest", "NSStoreModelVersionHashesDigest: it does not match"),
      ("NSStoreType", "NSStoreType is not SQLite"), ("NSCloudKitMirroringDelegate", "mirrored with CloudKit"),
    ] {
      let path = try maker.store(Transit.model([], [JSONMember("metadata", [key: "other"])]))
      #expect(refusal(path).contains(words), "\(key)")
    }
  }

  @Test("a template with rows of objects, pairs or history is rejected with the table")
  func rows() throws {
    for (table, sql) in [
      ("ZNOTE", "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1)"),
      ("Z_1STOPS", "INSERT INTO Z_1STOPS VALUES (1, 1, 1)"),
      ("ACHANGE", "INSERT INTO ACHANGE(Z_PK) VALUES (1)"),
    ] {
      let path = try maker.store(Transit.model([], [JSONMember("history", true)]), sql)
      let template = try Template(reading: path)
      #expect(template.file.filled == [table])
      #expect(throws: TemplateProblem(table, "the store has rows", .makeNew)) {
        try template.requireEmpty()
      }
      #expect(throws: TemplateProblem.self) { try Template.extract(path, to: maker("template.sqlite")) }
    }
    #expect(!FileManager.default.fileExists(atPath: maker("template.sqlite")))
  }

  @Test("a store with a WAL, an encrypted file and a file that is no store are rejected")
  func files() throws {
    let path = try maker.store(Transit.model)
    try Data([1]).write(to: URL(filePath: path + "-wal"))
    #expect(refusal(path).contains("PRAGMA journal_mode = DELETE"))
    try Data().write(to: URL(filePath: path + "-wal"))
    #expect(refusal(path) == "accepted")
    try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }).write(to: URL(filePath: path))
    #expect(refusal(path).contains("encrypted"))
    let other = maker("other.sqlite")
    try Connection(other, .creator).execute("CREATE TABLE shop(id INTEGER PRIMARY KEY)")
    #expect(refusal(other).contains("no store of Core Data"))
  }
}
