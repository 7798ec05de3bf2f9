import Foundation
import SeedDatabase
import SeedFormat

/// Documents of one and two gigabytes, made while they are read.
struct MemoryWorkload {
  static let name = "memory"
  static let verb = "measure-memory"
  private static let chunkBytes = 64 * 1024
  private let sizes: [Int]

  init(_ isQuick: Bool) {
    let unit = isQuick ? 100_000_000 : 1_000_000_000
    sizes = [unit, 2 * unit]
  }

  /// Each in a process of its own.
  func run(_ folder: String) throws -> [MemoryResult] {
    try sizes.map { size in
      let measured = try ChildProcess.measure([Self.verb, folder, String(size)])
      return MemoryResult(
        workload: Self.name, documentBytes: size, peakBytes: measured.peakBytes, seconds: measured.seconds,
        rows: measured.rows.reduce(0, +))
    }
  }

  /// In the child.
  static func measure(_ arguments: [String]) throws {
    guard arguments.count == 3, let size = Int(arguments[2]) else {
      throw BenchmarkError.usage("a memory measurement takes two arguments")
    }
    let path = "\(arguments[1])/memory-\(size).sqlite"
    let connection = try Connection(path, .creator)
    try connection.execute(RawDatabase.settings)
    try connection.execute(table.schema)
    var measurement = Measurement()
    let peak = try PeakMemory.bytes()
    let start = ContinuousClock.now
    measurement.rows = [try OwnChunks.run(connection, DocumentStream(size))]
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.peakBytes = try PeakMemory.bytes() - peak
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }

  static let table = TableShape(
    name: "articles",
    columns: [.integer("id"), .text("title"), .text("body"), .integer("views")])

  /// A document of about `byteCount` bytes, in chunks that know nothing of rows.
  struct DocumentStream: Sequence, IteratorProtocol {
    private var left: Int
    private var id = 0
    private var generator = DataGenerator(seed: 1)
    private var isClosed = false

    init(_ byteCount: Int) { left = byteCount }

    mutating func next() -> [UInt8]? {
      guard !isClosed else { return nil }
      var chunk: [UInt8] = id == 0 ? [UInt8(ascii: "[")] : []
      while chunk.count < chunkBytes, left > 0 {
        let start = chunk.count
        append(to: &chunk)
        left -= chunk.count - start
      }
      if left <= 0 {
        chunk.append(UInt8(ascii: "]"))
        isClosed = true
      }
      return chunk
    }

    private mutating func append(to chunk: inout [UInt8]) {
      id += 1
      if id > 1 { chunk.append(UInt8(ascii: ",")) }
      chunk.append(contentsOf: "{\"id\":\(id),\"title\":".utf8)
      JSONWriter.append(generator.text(3), to: &chunk)
      chunk.append(contentsOf: ",\"body\":".utf8)
      JSONWriter.append(generator.text(40), to: &chunk)
      chunk.append(contentsOf: ",\"views\":\(generator.below(100_000))}".utf8)
    }
  }
}

/// What one document took.
struct MemoryResult: Encodable {
  let workload: String
  let documentBytes, peakBytes: Int
  let seconds: Double
  let rows: Int
}
