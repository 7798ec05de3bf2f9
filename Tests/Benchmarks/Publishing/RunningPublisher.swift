import Foundation

/// `seedbank run` on a deployment, as a process of its own.
final class RunningPublisher {
  private let process = Process()
  private let output = Pipe()

  /// Comes back when it listens.
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

  /// What it holds now.
  func memory() throws -> MemorySample {
    let number = "\(process.processIdentifier)"
    return MemorySample(
      residentBytes: try ProcessStatus.bytes("VmRSS", of: number),
      anonymousBytes: try ProcessStatus.bytes("RssAnon", of: number))
  }

  /// What it has used of the processor so far.
  func processorSeconds() throws -> Double {
    guard let times = ProcessTimes(process.processIdentifier) else {
      throw BenchmarkError.child("seedbank run has ended")
    }
    return ProcessTimes.seconds(ofTicks: times.own)
  }
}
