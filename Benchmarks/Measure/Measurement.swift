struct MeasurementRequest {
  static let verb = "measure"
  let workload: String
  let contender: String
  let folder: String
  let phase: Phase
  /// Counts and verifies, without timing.
  let isCheck: Bool

  var arguments: [String] {
    [Self.verb, workload, contender, folder, phase.rawValue, isCheck ? "check" : "time"]
  }

  init(_ workload: String, _ contender: String, _ folder: String, _ phase: Phase, isCheck: Bool) {
    (self.workload, self.contender, self.folder) = (workload, contender, folder)
    (self.phase, self.isCheck) = (phase, isCheck)
  }

  init(_ arguments: [String]) throws {
    guard arguments.count == 6, let phase = Phase(rawValue: arguments[4]) else {
      throw BenchmarkError.usage("a measurement takes five arguments")
    }
    self.init(arguments[1], arguments[2], arguments[3], phase, isCheck: arguments[5] == "check")
  }
}

/// Whether the target is empty or already filled.
enum Phase: String, CaseIterable, Codable {
  case cold, hot
}

struct Measurement: Codable {
  var seconds = 0.0
  /// Less affected by other programs on the machine.
  var processorSeconds = 0.0
  /// The increase of peak memory during the import.
  var peakBytes = 0
  var statements = 0
  /// Statements that only look up.
  var lookups = 0
  var rows: [Int] = []
  var checksum = ""
  /// Whether an import that must fail failed.
  var refused = false
}
