import Foundation
import SeedFormat

/// Find or insert with a cache of fetched objects, filled on the way; one save at the end. Unchanged objects are
/// not written.
enum FetchCache {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let database = try RawDatabase(files.target)
    let tables = try workload.tables.map { try ObjectStatements($0, workload.policy, database) }
    var cache = workload.tables.map { _ in [[SeedValue]: [SeedValue]]() }
    try database.transaction {
      for path in try files.documents(phase) {
        let document = try Data(contentsOf: URL(fileURLWithPath: path))
        try workload.decode(document) { table, values in
          let key = tables[table].key(values)
          let cached = cache[table][key]
          if cached == values { return }
          try tables[table].save(values, exists: cached != nil || tables[table].exists(values))
          cache[table][key] = values
        }
      }
    }
  }
}
