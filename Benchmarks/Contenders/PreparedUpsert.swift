import Foundation

/// One prepared upsert per table, run for every object, in one transaction.
enum PreparedUpsert {
  @Sendable static func decoding(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    try run(workload, files, phase, workload.decode)
  }

  @Sendable static func parsing(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    try run(workload, files, phase, workload.parse)
  }

  private static func run(
    _ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase,
    _ read: (Data, RecordSink) throws -> Void
  ) throws {
    let database = try RawDatabase(files.target)
    let upserts = try workload.tables.map { try database.prepare($0.insert + $0.onConflict(workload.policy)) }
    try database.transaction {
      for path in try files.documents(phase) {
        let document = try Data(contentsOf: URL(fileURLWithPath: path))
        try read(document) { table, values in try upserts[table].run(values) }
      }
    }
  }
}
