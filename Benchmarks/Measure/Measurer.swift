import Foundation

struct Measurer {
  private let request: MeasurementRequest
  private let workload: any Workload
  private let contender: Contender
  private let files: WorkloadFiles

  init(_ request: MeasurementRequest) throws {
    self.request = request
    workload = try Workloads.named(request.workload)
    contender = try Contender.named(request.contender)
    files = WorkloadFiles(request.folder, request.contender)
  }

  func run() throws {
    if request.phase == .cold { try prepareTarget() }
    if request.isCheck { StatementTrace.start() }
    var measurement = try measured()
    if request.isCheck {
      (measurement.statements, measurement.lookups) = (StatementTrace.count, StatementTrace.lookups)
      let sum = try Checksum(files.target, workload.tables)
      (measurement.rows, measurement.checksum) = (sum.rows, sum.text)
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
  }

  private func prepareTarget() throws {
    files.removeTarget()
    let database = try RawDatabase(files.target)
    try database.execute(workload.tables.map(\.schema).joined(separator: ";\n"))
    try contender.prepare?(workload, files)
  }

  private func measured() throws -> Measurement {
    var measurement = Measurement()
    let peak = try ProcessStatus.bytes("VmHWM")
    let start = ContinuousClock.now
    let used = ProcessorTime.seconds()
    do {
      try contender.run(workload, files, request.phase)
    } catch  where workload.policy == .fail && request.phase == .hot {
      measurement.refused = true
    }
    measurement.seconds = (ContinuousClock.now - start) / .seconds(1)
    measurement.processorSeconds = ProcessorTime.seconds() - used
    measurement.peakBytes = try ProcessStatus.bytes("VmHWM") - peak
    return measurement
  }
}
