import Foundation
import SeedDatabase
import SeedFormat
import SeedImport

/// Documents too large for memory, generated while they are read.
struct MemoryWorkload {
  static let name = "memory"
  static let verb = "measure-memory"
  private let requests: [(document: MemoryDocument, size: Int)]

  init(_ isQuick: Bool) {
    let unit = isQuick ? 100_000_000 : 1_000_000_000
    let part = isQuick ? 10 : 1
    requests = [(.rows, unit), (.rows, 2 * unit), (.rejects, 200_000 / part)]
  }

  /// Runs each document in a new process.
  func run(_ folder: String) throws -> [MemoryResult] {
    try requests.map { document, size in
      let measured = try ChildProcess.measure([Self.verb, folder, document.rawValue, String(size)])
      return MemoryResult(document, size, measured)
    }
  }

  /// Runs in the child.
  static func measure(_ arguments: [String]) throws {
    guard arguments.count == 4, let document = MemoryDocument(rawValue: arguments[2]),
      let size = Int(arguments[3])
    else { throw BenchmarkError.usage("a memory measurement takes three arguments") }
    let connection = try Connection("\(arguments[1])/memory-\(document)-\(size).sqlite", .creator)
    try connection.execute(RawDatabase.settings)
    try connection.execute(document.schema)
    var measurement = Measurement()
    let peak = try ProcessStatus.bytes("VmHWM")
    let start = ContinuousClock.now
    measurement.rows = try OwnChunks.run(connection, document, document.chunks(size))
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.peakBytes = try ProcessStatus.bytes("VmHWM") - peak
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }
}

struct MemoryResult: Encodable {
  /// Allowed memory of an import.
  static let barMebibytes = 32
  let workload = MemoryWorkload.name
  let document: String
  /// Bytes for `rows`, otherwise a count.
  let size: Int
  let peakBytes: Int
  let barBytes = MemoryResult.barMebibytes << 20
  let seconds: Double
  /// Counts of imported and of rejected rows.
  let rows: [Int]

  init(_ document: MemoryDocument, _ size: Int, _ measured: Measurement) {
    (self.document, self.size) = (document.rawValue, size)
    (peakBytes, seconds, rows) = (measured.peakBytes, measured.seconds, measured.rows)
  }
}
