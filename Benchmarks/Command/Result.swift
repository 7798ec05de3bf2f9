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

  var seconds: Double { median(timed.map(\.seconds)) }
  var processorSeconds: Double { median(timed.map(\.processorSeconds)) }
  var peakBytes: Int { Int(median(timed.map { Double($0.peakBytes) })) }
}
