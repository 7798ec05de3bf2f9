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
