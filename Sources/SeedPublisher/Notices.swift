package import SeedFormat
package import SeedPublication
import SeedSystem

/// Runs the operator's `on.published` and `on.failed` programs, one at a time, so that two cache purges never overlap.
package final class Notices: Sendable {
  private struct State {
    var child: ChildProcess?
    var isOver = false
  }

  /// Programs with their arguments.
  private let commands: [NoticeKind: [String]]
  private let environment: [String: String]
  private let limit: Duration
  private let report: @Sendable (LogRecord) -> Void
  /// Held while a program runs.
  private let turn = Mutex(())
  private let state = Mutex(State())

  private static let outputBytes = 64 * 1024

  /// A program's path that contains a slash is relative to `folder`.
  package init(
    _ commands: [NoticeKind: [String]], in folder: String, _ environment: [String: String],
    limit: Duration = .seconds(30), report: @escaping @Sendable (LogRecord) -> Void = { _ in }
  ) {
    self.commands = commands.mapValues { words in
      let program = words.first ?? ""
      return [program.contains("/") ? Paths.absolute(program, from: folder) : program] + words.dropFirst()
    }
    self.environment = ProgramFile.environment(forOthers: environment)
    (self.limit, self.report) = (limit, report)
  }

  package func has(_ kind: NoticeKind) -> Bool { commands[kind] != nil }

  /// The reasons why programs cannot be started; empty if all can.
  package var faults: [String] { NoticeKind.allCases.compactMap(fault) }

  private func fault(_ kind: NoticeKind) -> String? {
    commands[kind].flatMap { ProgramFile($0[0], environment).fault }.map { "\(kind.setting): \($0)" }
  }

  /// Runs the program for that kind, if there is one; blocks until it exits.
  package func send(_ kind: NoticeKind, _ facts: JSONValue) {
    guard let words = commands[kind] else { return }
    let event = JSONMember("event", .string(kind.rawValue))
    let input = JSONValue.object([event] + (facts.members ?? [])).bytes + [UInt8(ascii: "\n")]
    turn.withLock { _ in
      if let problem = problem(kind, words, input) { report(LogRecord(.warning, problem)) }
    }
  }

  private func problem(_ kind: NoticeKind, _ words: [String], _ input: [UInt8]) -> String? {
    do throws(FileError) {
      guard let child = try start(words) else { return nil }
      defer { state.withLock { $0.child = nil } }
      let (ending, output) = child.finish(input: input, outputBytes: Self.outputBytes, within: limit)
      return ending.problem(overdue: "took longer than \(limit), and was ended").map { problem in
        let said = lastCharacters(output)
        return "\(kind.setting): \(words[0]) \(problem)"
          + (said.isEmpty ? "." : "; it said: \(said.printable)")
      }
    } catch { return "\(fault(kind) ?? "\(kind.setting): \(error)")." }
  }

  private func start(_ words: [String]) throws(FileError) -> ChildProcess? {
    try state.withLock { state throws(FileError) in
      if !state.isOver { state.child = try ChildProcess(words, environment: environment) }
      return state.child
    }
  }

  /// Kills the running program and prevents further ones.
  package func end() {
    state.withLock { state in
      state.isOver = true
      state.child?.kill()
    }
  }
}

package enum NoticeKind: String, CaseIterable, Sendable {
  case published, failed

  package var setting: String { "on.\(rawValue)" }
}

/// The file of a program that the operator named.
package struct ProgramFile {
  /// A path if it contains a slash, otherwise a name to search for in PATH.
  private let name: String
  private let environment: [String: String]

  package init(_ name: String, _ environment: [String: String]) {
    (self.name, self.environment) = (name, environment)
  }

  /// Returns the environment of a child process, without the paths of keys. It also lacks the service manager's socket,
  /// through which the child could impersonate this process.
  package static func environment(forOthers environment: [String: String]) -> [String: String] {
    environment.filter {
      $0.key != "NOTIFY_SOCKET" && !($0.key.hasPrefix("SEEDBANK_") && $0.key.contains("KEY"))
    }
  }

  private var isPath: Bool { name.contains("/") }

  private var files: [String] {
    let places = isPath ? [name] : (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    return places.filter { (try? FileStamp($0))??.isRegular == true }
  }

  package var fault: String? {
    if isPath, Folder.leadsToFolder(name) {
      return "\(name.printable) is a folder, not a program: correct the path"
    }
    guard let found = files.first else {
      let place = isPath ? name.printable : "\(name.printable) in PATH"
      return "there is no program \(place): put it there, or correct the path"
    }
    let canRun = files.contains { access($0, X_OK) == 0 }
    return canRun ? nil : "this user may not run \(found.printable): chmod +x it"
  }
}
