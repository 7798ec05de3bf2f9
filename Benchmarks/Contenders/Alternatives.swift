import Foundation
import SeedFormat

/// The ways in which apps import today, with the document of ``DeltaWorkload``.
struct Alternatives {
  private let delta = DeltaWorkload()
  private let document: Data
  private let database: RawDatabase

  private init(_ files: WorkloadFiles, _ phase: Phase) throws {
    document = try Data(contentsOf: URL(fileURLWithPath: files.documents(phase)[0]))
    database = try RawDatabase(files.target)
  }

  static func contender(
    _ name: String, _ run: @escaping @Sendable (Alternatives) throws -> Void
  ) -> Contender {
    Contender(name: name, only: "delta") { _, files, phase in try run(Alternatives(files, phase)) }
  }

  /// Finds or inserts each object, and saves it at once.
  func saveEach() throws {
    let tables = try objectStatements()
    try delta.decode(document) { table, values in
      try tables[table].save(values, exists: tables[table].exists(values))
    }
  }

  /// Finds or inserts each object through a cache of fetched objects, and saves once at the end. Does not write unchanged
  /// objects.
  func fetchCache() throws {
    let tables = try objectStatements()
    var cache = tables.map { _ in [SeedValue: [SeedValue]]() }
    try database.transaction {
      try delta.decode(document) { table, values in
        let cached = cache[table][values[0]]
        if cached == values { return }
        try tables[table].save(values, exists: cached != nil || tables[table].exists(values))
        cache[table][values[0]] = values
      }
    }
  }

  /// Collects all distinct objects, looks up their keys in batches, and saves them.
  func prewarmed() throws {
    let tables = try objectStatements()
    var collected = tables.map { _ in [SeedValue: [SeedValue]]() }
    try delta.decode(document) { table, values in collected[table][values[0]] = values }
    try database.transaction {
      for (number, objects) in collected.enumerated() {
        let known = try existing(Array(objects.keys), delta.tables[number].name)
        for (key, values) in objects { try tables[number].save(values, exists: known.contains(key)) }
      }
    }
  }

  private static let keysPerLookup = 500

  private func existing(_ keys: [SeedValue], _ table: String) throws -> Set<SeedValue> {
    var known: Set<SeedValue> = []
    for start in stride(from: 0, to: keys.count, by: Self.keysPerLookup) {
      let batch = keys[start..<min(start + Self.keysPerLookup, keys.count)]
      let marks = batch.map { _ in "(?)" }.joined(separator: ", ")
      let statement = try database.prepare("SELECT id FROM \(table) WHERE (id) IN (VALUES \(marks))")
      statement.bind(Array(batch))
      while try statement.step() { known.insert(statement.integer(0)) }
    }
    return known
  }

  /// One prepared upsert per table, run for every object, in one transaction.
  func upsert(_ read: (DeltaWorkload) -> (Data, DeltaWorkload.Sink) throws -> Void) throws {
    let upserts = try delta.tables.map { try database.prepare($0.insert + $0.onConflict(.overwrite)) }
    try database.transaction {
      try read(delta)(document) { table, values in try upserts[table].run(values) }
    }
  }

  /// SQLite reads the JSON: one statement per table.
  func jsonEach() throws {
    let statements = try delta.tables.map { try database.prepare($0.insertFromJSON) }
    let text = SeedValue.text(String(decoding: document, as: UTF8.self))
    try database.transaction {
      for statement in statements { try statement.run([text]) }
    }
  }

  private func objectStatements() throws -> [ObjectStatements] {
    try delta.tables.map { try ObjectStatements($0, database) }
  }
}

/// One table's statements for importers that look up before they write. The key is the first column, `id`.
private struct ObjectStatements {
  private let find, insert, update: RawStatement

  init(_ table: TableShape, _ database: RawDatabase) throws {
    find = try database.prepare("SELECT id FROM \(table.name) WHERE id = ?")
    insert = try database.prepare(table.insert)
    let values = table.others.map { "\($0.name) = ?" }.joined(separator: ", ")
    update = try database.prepare("UPDATE \(table.name) SET \(values) WHERE id = ?")
  }

  func exists(_ values: [SeedValue]) throws -> Bool { try find.finds([values[0]]) }

  /// Saves an object known to be present or absent.
  func save(_ values: [SeedValue], exists: Bool) throws {
    if exists { try update.run(values.dropFirst() + [values[0]]) } else { try insert.run(values) }
  }
}

extension TableShape {
  fileprivate var insertFromJSON: String {
    let values = columns.map { "value->>'\($0.name)'" }.joined(separator: ", ")
    return "INSERT INTO \(name)(\(columnList)) SELECT \(values) FROM json_each(?1, '$.\(name)') WHERE true"
      + onConflict(.overwrite)
  }
}
