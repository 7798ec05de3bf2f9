import Foundation
import SeedDatabase
import SeedImport

/// Two ways to import the same rows, each into an empty database and then into the filled one.
struct PairWorkload {
  static let verb = "measure-pair"
  /// Allowed ratio of the contender's time to the baseline's.
  static let bar = 1.2

  struct Side: Sendable {
    let name: String
    let mapping: ImportMapping
    let documents: @Sendable (_ folder: String) throws -> [String]
  }

  let name, title: String
  let tables: [TableShape]
  let baseline, contender: Side
  /// Timed phases.
  var phases = Phase.allCases
  /// Writes the documents of both ways.
  let write: @Sendable (_ folder: String) throws -> Void

  private var sides: [Side] { [baseline, contender] }

  /// Runs each measurement in a new process, and alternates the two ways.
  func run(_ folder: String, runs: Int) throws -> [PairResult] {
    try write(folder)
    // The first run verifies, and warms the documents' pages.
    let checked = try Phase.allCases.map { phase in try sides.map { try measure($0, folder, phase, "check") }
    }
    var timed: [Phase: [[Measurement]]] = [:]
    for _ in 0..<runs {
      for phase in phases {
        timed[phase, default: []].append(try sides.map { try measure($0, folder, phase, "time") })
      }
    }
    let isCorrect = checked.allSatisfy { $0[0].checksum == $0[1].checksum }
    return phases.map { PairResult(self, $0, timed[$0] ?? [], rows: checked[0][0].rows, isCorrect) }
  }

  private func measure(_ side: Side, _ folder: String, _ phase: Phase, _ kind: String) throws -> Measurement {
    try ChildProcess.measure([Self.verb, name, side.name, folder, phase.rawValue, kind])
  }

  /// Runs in the child.
  static func measure(_ arguments: [String]) throws {
    guard arguments.count == 6, let phase = Phase(rawValue: arguments[4]),
      let pair = named(arguments[1]), let side = pair.sides.first(where: { $0.name == arguments[2] })
    else { throw BenchmarkError.usage("a measurement of a pair takes five arguments") }
    let measurement = try pair.measure(side, arguments[3], phase, isCheck: arguments[5] == "check")
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }

  private func measure(_ side: Side, _ folder: String, _ phase: Phase, isCheck: Bool) throws -> Measurement {
    let files = WorkloadFiles(folder, side.name)
    if phase == .cold {
      files.removeTarget()
      try RawDatabase(files.target).execute(tables.map(\.schema).joined(separator: ";\n"))
    }
    let documents = try side.documents(folder)
    var measurement = Measurement()
    let (start, used) = (ContinuousClock.now, ProcessorTime.seconds())
    try OwnImport.run(documents, into: files.target, side.mapping)
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.processorSeconds = ProcessorTime.seconds() - used
    if isCheck {
      let sum = try Checksum(files.target, tables)
      (measurement.rows, measurement.checksum) = (sum.rows, sum.text)
    }
    return measurement
  }
}

/// Processor seconds of both ways: medians, and the median of the pairs' ratios.
struct PairResult: Encodable {
  let workload, phase, baseline, contender: String
  let rows: [Int]
  let baselineSeconds, seconds, ratio, bar: Double
  let correct: Bool

  init(_ pair: PairWorkload, _ phase: Phase, _ timed: [[Measurement]], rows: [Int], _ isCorrect: Bool) {
    (workload, self.phase) = (pair.name, phase.rawValue)
    (baseline, contender) = (pair.baseline.name, pair.contender.name)
    (self.rows, correct, bar) = (rows, isCorrect, PairWorkload.bar)
    baselineSeconds = median(timed.map { $0[0].processorSeconds })
    seconds = median(timed.map { $0[1].processorSeconds })
    ratio = median(timed.map { $0[1].processorSeconds / $0[0].processorSeconds })
  }
}
