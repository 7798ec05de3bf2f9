import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

/// Runs the operator's programs one at a time, because two cache purges must not overlap.
final class Notices: Sendable {
  private struct State {
    var child: ChildProcess?
    var isOver = false
  }

  private let commands: [NoticeKind: NoticeCommand]
  private let history: StepHistory
  private let limit: Duration
  private let report: @Sendable (LogRecord) -> Void
  /// Held while a program runs.
  private let turn = Mutex(())
  private let state = Mutex(State())

  init(
    _ configuration: DeploymentConfiguration, _ environment: [String: String],
    limit: Duration = .seconds(30), report: @escaping @Sendable (LogRecord) -> Void
  ) {
    commands = Dictionary(
      uniqueKeysWithValues: configuration.notices.map {
        ($0, NoticeCommand($0, $1, configuration, environment))
      })
    history = StepHistory(configuration.state)
    (self.limit, self.report) = (limit, report)
  }

  /// Runs the `on.published` program if the step published anything; blocks until it exits.
  func tell(_ step: StepReport, of dataset: DatasetName) {
    let news = step.series.filter(\.hasNews)
    guard let command = commands[.published], !news.isEmpty else { return }
    run(command, ["dataset": .string(dataset.text), "series": .array(news.map(\.json))])
  }

  /// Runs the program for failures unless the previous step failed in the same way; blocks until it ends.
  func tell(_ error: any Error, of dataset: DatasetName) {
    guard let command = commands[.failed], !Publisher.isNoStep(error), !isRepeated(error, dataset) else {
      return
    }
    run(command, ["dataset": .string(dataset.text), "error": FailureReport(error).json])
  }

  /// The history has the error's description, or its message if the step could not begin.
  private func isRepeated(_ error: any Error, _ dataset: DatasetName) -> Bool {
    guard let newest = (try? history.newest(1, of: dataset))?.first, let text = newest.error else {
      return false
    }
    return newest.times > 1 && ["\(error)", FailureReport(error).message].contains(text)
  }

  private func run(_ command: NoticeCommand, _ facts: JSONValue) {
    let event = JSONMember("event", .string(command.kind.rawValue))
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
  func end() {
    state.withLock { state in
      state.isOver = true
      state.child?.kill()
    }
  }
}

extension Context {
  func notices(_ configuration: DeploymentConfiguration) -> Notices {
    Notices(configuration, environment) { console.tell($0) }
  }
}
