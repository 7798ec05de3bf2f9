package import SeedFormat
package import SeedPublication
import SeedSystem

/// Runs the operator's programs one at a time, because two cache purges must not overlap.
package final class Notices: Sendable {
  private struct State {
    var child: ChildProcess?
    var isOver = false
  }

  private let commands: [NoticeKind: NoticeCommand]
  private let limit: Duration
  private let report: @Sendable (LogRecord) -> Void
  /// Held while a program runs.
  private let turn = Mutex(())
  private let state = Mutex(State())

  package init(
    _ commands: [NoticeKind: NoticeCommand], limit: Duration = .seconds(30),
    report: @escaping @Sendable (LogRecord) -> Void
  ) {
    (self.commands, self.limit, self.report) = (commands, limit, report)
  }

  package func has(_ kind: NoticeKind) -> Bool { commands[kind] != nil }

  /// Runs the program of that kind, if there is one; blocks until it exits.
  package func tell(_ kind: NoticeKind, _ facts: JSONValue) {
    guard let command = commands[kind] else { return }
    let event = JSONMember("event", .string(kind.rawValue))
    let input = JSONValue.object([event] + (facts.members ?? [])).bytes + [UInt8(ascii: "\n")]
    turn.withLock { _ in
      if let problem = problem(of: command, input) { report(LogRecord(.warning, problem)) }
    }
  }

  private func problem(of command: NoticeCommand, _ input: [UInt8]) -> String? {
    do throws(FileError) {
      guard let child = try start(command) else { return nil }
      defer { state.withLock { $0.child = nil } }
      return command.finish(child, input, within: limit)
    } catch {
      return "\(command.fault ?? "\(command.kind.setting): \(error)")."
    }
  }

  private func start(_ command: NoticeCommand) throws(FileError) -> ChildProcess? {
    try state.withLock { state throws(FileError) in
      if !state.isOver { state.child = try command.start() }
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

/// A program of the operator that reads one notice.
package struct NoticeCommand: Sendable {
  let kind: NoticeKind
  private let words: [String]
  private let environment: [String: String]

  private static let outputBytes = 64 * 1024

  /// A path with a slash is relative to `folder`.
  package init(
    _ kind: NoticeKind, _ words: [String], in folder: String, _ environment: [String: String]
  ) {
    self.kind = kind
    let program = words.first ?? ""
    let isPath = program.contains("/")
    self.words =
      [isPath ? Paths.absolute(program, from: folder) : program] + words.dropFirst()
    self.environment = ProgramFile.environment(forOthers: environment)
  }

  private var program: String { words.first ?? "" }

  package var fault: String? { ProgramFile(program, environment).fault.map { "\(kind.setting): \($0)" } }

  func start() throws(FileError) -> ChildProcess {
    try ChildProcess(words, environment: environment)
  }

  func finish(_ child: ChildProcess, _ input: [UInt8], within limit: Duration) -> String? {
    let (ending, output) = child.finish(input: input, outputBytes: Self.outputBytes, within: limit)
    guard let problem = ending.problem(overdue: "took longer than \(limit), and was ended") else {
      return nil
    }
    let said = lastWords(output)
    return "\(kind.setting): \(program) \(problem)" + (said.isEmpty ? "." : "; it said: \(said.printable)")
  }
}

/// The file of a program that the operator named.
package struct ProgramFile {
  /// A path if it has a slash, otherwise a name to search in PATH.
  private let name: String
  private let environment: [String: String]

  package init(_ name: String, _ environment: [String: String]) {
    (self.name, self.environment) = (name, environment)
  }

  /// A child process's environment, without paths of keys and without the service manager's socket, which could impersonate
  /// this process.
  package static func environment(forOthers environment: [String: String]) -> [String: String] {
    environment.filter {
      $0.key != "NOTIFY_SOCKET" && !($0.key.hasPrefix("SEEDBANK_") && $0.key.contains("KEY"))
    }
  }

  private var isPath: Bool { name.contains("/") }

  private var files: [String] {
    let places =
      isPath ? [name] : (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    return places.filter { (try? FileStamp($0))??.isRegular == true }
  }

  package var fault: String? {
    if isPath, Folder.isFolder(name) {
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
