import Support

/// A process that reads a store until it is told to end.
final class ReaderProcess {
  private let program: TestProgram

  init(_ directory: String, _ model: [String], _ more: [String] = []) throws {
    program = try TestProgram(
      [SeedbankBinary.folder + "/StoreReader", directory] + model + more, input: .pipe, joined: true)
  }

  /// Waits until that is the last line.
  func waits(forLast line: String) throws {
    try waitUntil("\(line) is printed") { program.output.split(separator: "\n").last == Substring(line) }
  }

  /// Ends its input, and waits for its last words.
  func stop() throws -> ProgramOutcome {
    program.closeInput()
    return try program.outcome(within: longestWait)
  }
}
