import Foundation
import SeedFormat

/// SQLite reads the JSON: one statement per table and document.
enum JSONEach {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let database = try RawDatabase(files.target)
    let statements = try workload.jsonEach.map(database.prepare)
    try database.transaction {
      for path in try files.documents(phase) {
        let document = try Data(contentsOf: URL(fileURLWithPath: path))
        for statement in statements { try statement.run([.text(String(decoding: document, as: UTF8.self))]) }
      }
    }
  }
}
