struct Result {
  let workload: String
  let contender: String
  let phase: Phase
  private(set) var check = Measurement()
  private var timed: [Measurement] = []

  init(_ workload: String, _ contender: String, _ phase: Phase) {
    (self.workload, self.contender, self.phase) = (workload, contender, phase)
  }

  mutating func add(_ measurement: Measurement, isCheck: Bool) {
    if isCheck { check = measurement } else { timed.append(measurement) }
  }

  var seconds: Double { Self.median(timed.map(\.seconds)) }
  var processorSeconds: Double { Self.median(timed.map(\.processorSeconds)) }
  var peakBytes: Int { Int(Self.median(timed.map { Double($0.peakBytes) })) }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
  }
}
