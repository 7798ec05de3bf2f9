import Foundation
import SeedDatabase
import SeedFormat

/// Flat objects straight from the scanner to the table's writer: no digest, no mapping.
enum OwnRows {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    let connection = try Connection(files.target, .writer)
    try connection.execute(RawDatabase.settings)
    let schema = try SchemaReader(connection).schema()
    for path in try files.documents(phase) {
      var rows = FlatRows([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
      try connection.transaction {
        try rows.read { name throws in
          guard let table = schema.table(name) else { throw BenchmarkError.unexpected(name, in: path) }
          return (table, try TableWriter(table, RowShape(whole: table), nil, connection, AffinityFitter()))
        }
      }
    }
  }
}
