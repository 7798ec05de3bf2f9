import Foundation

/// A `seedbank run` process on a deployment.
final class RunningPublisher {
  private let process = Process()
  private let output = Pipe()

  /// Returns when it listens.
  init(_ deployment: String, asOrdinaryUser isOrdinary: Bool = false) throws {
    let command = [Tool.seedbank, "run", "--port", "0", "--config", "\(deployment)/seedbank.json"]
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = isOrdinary ? OrdinaryUser.running(command) : command
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw BenchmarkError.child(command.joined(separator: " "))
    }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  func memory() throws -> MemorySample {
    let number = "\(process.processIdentifier)"
    return MemorySample(
      residentBytes: try ProcessStatus.bytes("VmRSS", of: number),
      anonymousBytes: try ProcessStatus.bytes("RssAnon", of: number))
  }

  func processorSeconds() throws -> Double {
    guard let times = ProcessTimes(process.processIdentifier) else {
      throw BenchmarkError.child("seedbank run has ended")
    }
    return ProcessTimes.seconds(ofTicks: times.own)
  }
}
