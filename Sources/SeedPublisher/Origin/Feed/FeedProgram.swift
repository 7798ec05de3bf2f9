import SeedSystem

/// The operator's program, which fills a folder.
package enum FeedProgram {
  /// Environment variables for the paths of the folder to fill and of the folder filled last, if there is one.
  private static let (folderVariable, lastVariable) = ("SEEDBANK_FEED", "SEEDBANK_LAST_FEED")
  private static let shell = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\""]
  private static let outputBytes = 256 * 1024

  /// Runs the program in the folder and writes its output to a file. Throws if the program fails.
  static func fill(
    _ folder: String, last: String?, by words: [String], _ environment: [String: String],
    within limit: Duration, log: String
  ) throws {
    var environment = environment
    environment[folderVariable] = folder
    environment[lastVariable] = last
    let output: [UInt8]
    let problem: String?
    do throws(FileError) {
      let child = try ChildProcess(shell + [folder] + words, environment: environment)
      running.withLock { $0[folder] = child }
      defer { running.withLock { $0[folder] = nil } }
      // Kills the program's own child processes, which could write to the feed while it is being read.
      defer { MarkedProcesses.end(folderVariable, folder) }
      let (ending, said) = child.finish(input: [], outputBytes: outputBytes, within: limit)
      output = said
      problem = ending.problem(
        overdue: "took longer than origin.timeoutSeconds, and was ended with its process group and all"
          + " processes that have the same \(folderVariable)")
    } catch { (output, problem) = ([], "could not be started: \(error.reason)") }
    try DurableFile.write(output, to: log)
    guard let problem else { return }
    let said = lastCharacters(output)
    throw OriginError.unavailable(
      "origin.command: \(words.first ?? "") \(problem), so nothing new is published; "
        + "\(said.isEmpty ? "it said nothing" : "it said: \(said)") (the end of its output is in \(log))")
  }

  private static let running = Mutex<[String: ChildProcess]>([:])

  /// Kills running programs before this process ends.
  package static func endAll() {
    for (folder, child) in running.withLock(\.self) {
      child.kill()
      MarkedProcesses.end(folderVariable, folder)
    }
  }
}

extension ChildProcess.Ending {
  func problem(overdue: String) -> String? {
    switch self {
    case .exited(0): nil
    case .exited(let status): "ended with \(status)"
    case .killed(let signal): "was ended by the signal \(signal)"
    case .overdue: overdue
    }
  }
}

/// Returns the last characters of a program's output on one line.
func lastCharacters(_ output: [UInt8]) -> String {
  let shown = 400
  let said = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
  return said.count > shown ? "…\(said.suffix(shown))" : said
}

/// Delays the restart of a failed program, and reports the program's error until then.
final class FeedRetry: Sendable {
  private let failure = Mutex<(error: any Error, at: Int)?>(nil)

  static let longestPause = 60

  /// Also returns true if the clock was set back.
  static func isDue(_ last: Int, every seconds: Int, now: Int) -> Bool { !(0..<seconds).contains(now - last) }

  /// Runs `body`, or rethrows its last error if that error is less than `pause` seconds old.
  func trying(_ pause: Int, now: Int, _ body: () throws -> Void) throws {
    if let last = failure.withLock(\.self), !Self.isDue(last.at, every: pause, now: now) { throw last.error }
    do {
      try body()
      failure.withLock { $0 = nil }
    } catch {
      failure.withLock { $0 = (error, UTCTime.now().secondsSinceEpoch) }
      throw error
    }
  }
}
