import Foundation
import SeedDatabase
import SeedFormat

/// Writes flat objects from the scanner to the table's rows, without digest and mapping.
enum OwnRows {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let connection = try Connection(files.target, .writer)
    try connection.execute(RawDatabase.settings)
    let schema = try SchemaReader(connection).schema()
    for path in try files.documents(phase) {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var rows = FlatRows { try file.readPiece($0) }
      try connection.transaction {
        try rows.read { name throws in
          guard let table = schema.table(name) else { throw BenchmarkError.unexpected(name, in: path) }
          return (table, TableRows(table, connection))
        }
      }
    }
  }
}
