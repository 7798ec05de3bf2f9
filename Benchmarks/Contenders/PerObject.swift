import Foundation
import SeedFormat

/// The statements of one table for importers that look up before they write.
struct ObjectStatements {
  let find: RawStatement
  private let insert: RawStatement
  private let update: RawStatement
  private let shape: TableShape
  private let policy: Policy

  init(_ shape: TableShape, _ policy: Policy, _ database: RawDatabase) throws {
    find = try database.prepare(shape.find)
    insert = try database.prepare(shape.insert)
    update = try database.prepare(shape.update)
    (self.shape, self.policy) = (shape, policy)
  }

  func key(_ values: [SeedValue]) -> [SeedValue] { Array(values.prefix(shape.keyCount)) }

  func exists(_ values: [SeedValue]) throws -> Bool { try find.finds(key(values)) }

  /// Saves an object known to be present or absent.
  func save(_ values: [SeedValue], exists: Bool) throws {
    switch (exists, policy) {
    case (false, _), (true, .fail): try insert.run(values)
    case (true, .keep): break
    case (true, .overwrite):
      let others = values.dropFirst(shape.keyCount)
      try update.run((others.isEmpty ? key(values) : Array(others)) + key(values))
    }
  }
}

/// Find or insert, object by object, each saved at once.
enum PerObject {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let database = try RawDatabase(files.target)
    let tables = try workload.tables.map { try ObjectStatements($0, workload.policy, database) }
    for path in try files.documents(phase) {
      let document = try Data(contentsOf: URL(fileURLWithPath: path))
      try workload.decode(document) { table, values in
        try tables[table].save(values, exists: tables[table].exists(values))
      }
    }
  }
}
