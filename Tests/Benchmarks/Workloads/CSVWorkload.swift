import Foundation
import SeedDatabase
import SeedFormat
import SeedImport

/// The same rows as lines of JSON and as CSV, each into an empty database and once more into the full one.
struct CSVWorkload {
  static let name = "csv"
  static let verb = "measure-csv"
  /// How much longer CSV may take.
  static let bar = 1.2
  private let rows: Int
  private let runs: Int

  init(_ isQuick: Bool, runs: Int) {
    rows = isQuick ? 300_000 : 1_000_000
    self.runs = runs
  }

  /// Each measurement in a process of its own, the two formats in turn.
  func run(_ folder: String) throws -> [CSVResult] {
    try write(folder)
    var measured: [String: [Measurement]] = [:]
    // The first run warms the documents' pages.
    for run in 0...runs {
      for format in ["ndjson", "csv"] {
        for phase in Phase.allCases {
          let measurement = try ChildProcess.measure([Self.verb, folder, format, phase.rawValue])
          if run > 0 { measured["\(format) \(phase.rawValue)", default: []].append(measurement) }
        }
      }
    }
    return Phase.allCases.map { phase in
      let seconds = ["ndjson", "csv"].map { format in
        (measured["\(format) \(phase.rawValue)"] ?? []).map(\.processorSeconds).sorted()
      }.map { $0.isEmpty ? 0 : $0[$0.count / 2] }
      return CSVResult(
        workload: Self.name, phase: phase.rawValue, rows: rows, linesSeconds: seconds[0],
        csvSeconds: seconds[1], ratio: seconds[1] / seconds[0])
    }
  }

  private static let table = TableShape(
    name: "calls",
    columns: [
      .integer("id"), .text("trip"), .integer("place"), .text("stop"), .integer("arrival"), .real("distance"),
      .text("note"),
    ])

  private func write(_ folder: String) throws {
    var generator = DataGenerator(seed: 4180)
    var (lines, csv) = ([UInt8](), Array("id,trip,place,stop,arrival,distance,note\n".utf8))
    for id in 1...rows {
      let (trip, stop) = ("trip-\(id / 30)", "de:11000:900\(generator.below(100_000))")
      let (arrival, distance) = (generator.below(86_400), "\(generator.below(900)).25")
      let note = generator.below(10) == 0 ? "platform \"\(generator.below(9))\", \(generator.word())" : ""
      lines += "{\"id\":\(id),\"trip\":\"\(trip)\",\"place\":\(id % 30),\"stop\":\"\(stop)\"".utf8
      lines += ",\"arrival\":\(arrival),\"distance\":\(distance),\"note\":".utf8
      JSONWriter.append(note, to: &lines)
      lines += "}\n".utf8
      let quoted = note.isEmpty ? "" : "\"\(note.replacing("\"", with: "\"\""))\""
      csv += "\(id),\(trip),\(id % 30),\(stop),\(arrival),\(distance),\(quoted)\n".utf8
    }
    try Data(lines).write(to: URL(fileURLWithPath: "\(folder)/calls.ndjson"))
    try Data(csv).write(to: URL(fileURLWithPath: "\(folder)/calls.csv"))
  }

  /// In the child.
  static func measure(_ arguments: [String]) throws {
    guard arguments.count == 4, let phase = Phase(rawValue: arguments[3]) else {
      throw BenchmarkError.usage("a measurement of CSV takes three arguments")
    }
    let (folder, format) = (arguments[1], arguments[2])
    let path = "\(folder)/\(format).sqlite"
    if phase == .cold { try create(path) }
    let connection = try Connection(path, .own)
    try connection.execute(RawDatabase.settings)
    let mapping = ImportMapping(TableMapping(table.name), layout: format == "csv" ? .csv() : .lines)
    var measurement = Measurement()
    let (start, used) = (ContinuousClock.now, ProcessorTime.seconds())
    let session = try ImportSession(connection, mapping: mapping)
    try session.begin(format)
    try DocumentUnpacker.read("\(folder)/calls.\(format)", pieces: ImportPolicy().batchBytes) { piece in
      try piece.withUnsafeBytes { try session.feed($0) }
    }
    try session.end()
    measurement.rows = [try session.finish().rows]
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.processorSeconds = ProcessorTime.seconds() - used
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }

  private static func create(_ path: String) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Connection(path, .creator).execute(table.schema)
  }
}

/// What both formats took, in seconds of the processor.
struct CSVResult: Encodable {
  let workload, phase: String
  let rows: Int
  let linesSeconds, csvSeconds, ratio: Double
}
