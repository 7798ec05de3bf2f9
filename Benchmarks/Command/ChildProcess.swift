import Foundation

enum ChildProcess {
  static func measure(_ arguments: [String]) throws -> Measurement {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError.child(arguments.joined(separator: " "))
    }
    return try JSONDecoder().decode(Measurement.self, from: data)
  }
}
