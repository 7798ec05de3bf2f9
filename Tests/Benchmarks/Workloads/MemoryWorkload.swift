import Foundation
import SeedDatabase
import SeedFormat
import SeedImport

/// Documents that would fill the memory of an importer that keeps them, made while they are read.
struct MemoryWorkload {
  static let name = "memory"
  static let verb = "measure-memory"
  private let requests: [(document: MemoryDocument, size: Int)]

  init(_ isQuick: Bool) {
    let unit = isQuick ? 100_000_000 : 1_000_000_000
    let part = isQuick ? 10 : 1
    requests = [(.rows, unit), (.rows, 2 * unit), (.rejects, 200_000 / part)]
  }

  /// Each in a process of its own.
  func run(_ folder: String) throws -> [MemoryResult] {
    try requests.map { document, size in
      let measured = try ChildProcess.measure([Self.verb, folder, document.rawValue, String(size)])
      return MemoryResult(document, size, measured)
    }
  }

  /// In the child.
  static func measure(_ arguments: [String]) throws {
    guard arguments.count == 4, let document = MemoryDocument(rawValue: arguments[2]),
      let size = Int(arguments[3])
    else { throw BenchmarkError.usage("a memory measurement takes three arguments") }
    let connection = try Connection("\(arguments[1])/memory-\(document)-\(size).sqlite", .creator)
    try connection.execute(RawDatabase.settings)
    try connection.execute(document.schema)
    var measurement = Measurement()
    let peak = try PeakMemory.bytes()
    let start = ContinuousClock.now
    measurement.rows = try OwnChunks.run(connection, document, document.chunks(size))
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.peakBytes = try PeakMemory.bytes() - peak
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }
}

/// What one document took.
struct MemoryResult: Encodable {
  /// How much an import may hold.
  static let barMebibytes = 32
  let workload = MemoryWorkload.name
  let document: String
  /// Bytes of `rows`, else how many there are.
  let size: Int
  let peakBytes: Int
  let barBytes = MemoryResult.barMebibytes << 20
  let seconds: Double
  /// Rows that came, and those of them that were rejected.
  let rows: [Int]

  init(_ document: MemoryDocument, _ size: Int, _ measured: Measurement) {
    (self.document, self.size) = (document.rawValue, size)
    (peakBytes, seconds, rows) = (measured.peakBytes, measured.seconds, measured.rows)
  }
}
