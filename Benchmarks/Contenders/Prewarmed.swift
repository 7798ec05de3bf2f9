import Foundation
import SeedFormat

/// Collects all distinct objects, looks up their keys in batches, and saves them.
enum Prewarmed {
  private static let keysPerLookup = 500

  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let database = try RawDatabase(files.target)
    let collected = try collect(workload, files, phase)
    try database.transaction {
      for (shape, objects) in zip(workload.tables, collected) {
        let statements = try ObjectStatements(shape, workload.policy, database)
        let known = try existing(objects.keys, shape, database)
        for (key, values) in objects { try statements.save(values, exists: known.contains(key)) }
      }
    }
  }

  private static func collect(
    _ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase
  ) throws -> [[[SeedValue]: [SeedValue]]] {
    var collected = workload.tables.map { _ in [[SeedValue]: [SeedValue]]() }
    for path in try files.documents(phase) {
      let document = try Data(contentsOf: URL(fileURLWithPath: path))
      try workload.decode(document) { table, values in
        collected[table][Array(values.prefix(workload.tables[table].keyCount))] = values
      }
    }
    return collected
  }

  private static func existing(
    _ keys: some Collection<[SeedValue]>, _ shape: TableShape, _ database: RawDatabase
  ) throws -> Set<[SeedValue]> {
    var known: Set<[SeedValue]> = []
    var batch: [[SeedValue]] = []
    for key in keys {
      batch.append(key)
      if batch.count == keysPerLookup { try lookUp(&batch, shape, database, &known) }
    }
    try lookUp(&batch, shape, database, &known)
    return known
  }

  private static func lookUp(
    _ batch: inout [[SeedValue]], _ shape: TableShape, _ database: RawDatabase,
    _ known: inout Set<[SeedValue]>
  ) throws {
    guard !batch.isEmpty else { return }
    let mark = "(\(shape.key.map { _ in "?" }.joined(separator: ", ")))"
    let marks = Array(repeating: mark, count: batch.count).joined(separator: ", ")
    let statement = try database.prepare(
      "SELECT \(shape.keyList) FROM \(shape.name) WHERE (\(shape.keyList)) IN (VALUES \(marks))")
    statement.bind(Array(batch.joined()))
    while try statement.step() {
      known.insert(shape.key.indices.map { statement.value(Int32($0), shape.key[$0]) })
    }
    batch = []
  }
}
