/// A `seedbank run` process on a deployment.
struct RunningPublisher {
  private let program: Program

  /// Returns when it listens.
  init(_ deployment: String, asOrdinaryUser isOrdinary: Bool = false) throws {
    let command = [Tool.seedbank, "run", "--port", "0", "--config", "\(deployment)/seedbank.json"]
    program = try Program(isOrdinary ? OrdinaryUser.running(command) : command)
    _ = try program.line()
  }

  func memory() throws -> MemorySample {
    let number = "\(program.identifier)"
    return MemorySample(
      residentBytes: try ProcessStatus.bytes("VmRSS", of: number),
      anonymousBytes: try ProcessStatus.bytes("RssAnon", of: number))
  }

  func processorSeconds() throws -> Double {
    guard let times = ProcessTimes(program.identifier) else {
      throw BenchmarkError.child("seedbank run has ended")
    }
    return ProcessTimes.seconds(ofTicks: times.own)
  }
}
