import SeedDatabase
import SeedFormat
import SeedSystem

/// A store's file: metadata, model, entity numbers and schema. Only reads the file.
package struct StoreFile: Sendable {
  package let metadata: StoreMetadata
  package let model: ObjectModel
  package let numbers: [String: Int64]
  package let schema: StoreSchema
  /// Tables with rows, except those that are never empty.
  package let filled: [String]

  package var filledWords: String {
    let most = 5
    let more = filled.count > most ? " and \(filled.count - most) more" : ""
    return filled.prefix(most).joined(separator: ", ") + more
  }

  static let ownTables: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
  /// Numbers of Core Data's own entities, above those of a model.
  private static let ownNumbers: Range<Int64> = 16_001..<17_000

  package init(_ path: String) throws {
    try Self.checkCompanions(path)
    let connection = try Connection(path, .snapshot)
    guard try connection.value("PRAGMA quick_check(1)") == .text("ok") else {
      throw TemplateProblem(path, "the file is damaged", .makeNew)
    }
    let names = Set(try connection.rows("SELECT name FROM sqlite_schema").map { $0[0].text })
    guard Self.ownTables.isSubset(of: names) else {
      throw TemplateProblem(
        path,
        "it is no store of Core Data: \(Self.ownTables.subtracting(names).sorted().joined(separator: ", ")) missing",
        "name the store's file, as in NSPersistentStoreDescription.url or ModelConfiguration.url")
    }
    metadata = try Self.metadata(connection)
    schema = try StoreSchema(connection)
    model = try ObjectModel(try Self.archive(connection))
    numbers = try Self.numbers(connection, model)
    try Self.checkNames(model, metadata)
    filled = try schema.tables.map(\.name).filter { !Self.ownTables.contains($0) }.filter {
      try connection.value("SELECT 1 FROM \(quoted($0)) LIMIT 1") != nil
    }
  }

  package static func isStore(_ path: String) -> Bool {
    guard let connection = try? Connection(path, .reader) else { return false }
    let found = try? connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')")
    return found == 3
  }

  /// A log beside the file may have changes that the file lacks.
  private static func checkCompanions(_ path: String) throws {
    for suffix in ["-wal", "-journal"] {
      guard let start = try DurableFile.start(of: path + suffix, 1), !start.isEmpty else { continue }
      throw TemplateProblem(
        path + suffix, "a log beside the store has changes that are not in the file yet",
        "end the app and run: sqlite3 \(path) 'PRAGMA journal_mode = DELETE'")
    }
  }

  private static func metadata(_ connection: Connection) throws -> StoreMetadata {
    let rows = try connection.rows("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 2")
    guard rows.count == 1, rows[0][0] == .integer(1), case .text(let uuid) = rows[0][1],
      case .blob(let plist) = rows[0][2]
    else {
      throw TemplateProblem(
        "Z_METADATA", "it does not have the one row of version 1 that a store has", .makeNew)
    }
    return try StoreMetadata(uuid: uuid, plist: plist)
  }

  private static func archive(_ connection: Connection) throws -> [UInt8] {
    let rows = try connection.rows("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 2")
    guard rows.count == 1, case .blob(let content) = rows[0][0] else {
      throw TemplateProblem("Z_MODELCACHE", "it does not have one row with a model", .makeNew)
    }
    do {
      var archive: [UInt8] = []
      try RawInflater().process(content, isLast: true) { piece in
        guard archive.count + piece.count <= BinaryPlist.Limits.bytes else {
          throw CompressionError.tooLong(limit: BinaryPlist.Limits.bytes)
        }
        archive += piece
      }
      return archive
    } catch {
      throw TemplateProblem("Z_MODELCACHE", "the model cannot be expanded: \(error)", .makeNew)
    }
  }

  private static func numbers(_ connection: Connection, _ model: ObjectModel) throws -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    var parents: [String: Int64] = [:]
    for row in try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
      guard case .integer(let number) = row[0], case .text(let name) = row[1],
        case .integer(let parent) = row[2]
      else {
        throw TemplateProblem("Z_PRIMARYKEY", "a row has no number or no name", .makeNew)
      }
      guard !ownNumbers.contains(number) else { continue }
      guard numbers.updateValue(number, forKey: name) == nil else {
        throw TemplateProblem("Z_PRIMARYKEY, \(name)", "it is listed twice", .makeNew)
      }
      parents[name] = parent
    }
    try check(numbers, parents, model)
    return numbers
  }

  private static func check(
    _ numbers: [String: Int64], _ parents: [String: Int64], _ model: ObjectModel
  ) throws {
    let names = Set(model.entities.map(\.name))
    if let name = names.symmetricDifference(numbers.keys).sorted().first {
      throw TemplateProblem(
        "Z_PRIMARYKEY, \(name)", "the entity is in only one of the store's list and its model", .makeNew)
    }
    for (place, entity) in model.numbered.enumerated() {
      let name = entity.name
      guard numbers[name] == Int64(place + 1), parents[name] == entity.parent.map({ numbers[$0] ?? -1 }) ?? 0
      else {
        throw TemplateProblem(
          "Z_PRIMARYKEY, \(name)",
          "its number or its parent is another than in a new store of this model, as after a migration in place",
          .makeNew)
      }
    }
  }

  private static func checkNames(_ model: ObjectModel, _ metadata: StoreMetadata) throws {
    let names = Set(model.entities.map(\.name))
    guard let name = names.symmetricDifference(metadata.hashes.keys).sorted().first else { return }
    throw TemplateProblem(
      "Z_METADATA, \(name)", "the entity is in only one of the version hashes and the model", .makeNew)
  }
}
