import Support

/// A process that reads a store until it is stopped.
final class ReaderProcess {
  private let program: TestProgram

  init(_ directory: String, _ model: [String], _ more: [String] = []) throws {
    program = try TestProgram(
      [SeedbankBinary.folder + "/StoreReader", directory] + model + more, input: .pipe, joined: true)
  }

  func waits(forLast line: String) throws {
    try waitUntil("\(line) is printed") { program.output.split(separator: "\n").last == Substring(line) }
  }

  func stop() throws -> ProgramOutcome {
    program.closeInput()
    return try program.outcome(within: longestWait)
  }
}
