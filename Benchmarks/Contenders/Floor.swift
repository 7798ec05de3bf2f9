/// SQLite's own upsert of the same rows from an attached file.
enum Floor {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let database = try RawDatabase(files.target)
    try database.execute("ATTACH '\(files.source(phase))' AS source")
    try database.transaction {
      for table in workload.tables {
        try database.execute(
          "INSERT INTO main.\(table.name)(\(table.columnList)) SELECT \(table.columnList) "
            + "FROM source.\(table.name) WHERE true\(table.onConflict(workload.policy))")
      }
    }
  }
}
