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

struct NoticeCommand: Sendable {
  let kind: NoticeKind
  private let words: [String]
  private let environment: [String: String]

  /// The last bytes and characters of output that are kept and shown.
  private static let outputBytes = 64 * 1024
  private static let shownLetters = 400

  /// A path with a slash is relative to the configuration's folder.
  init(
    _ kind: NoticeKind, _ words: [String], _ configuration: DeploymentConfiguration,
    _ environment: [String: String]
  ) {
    self.kind = kind
    let program = words.first ?? ""
    let isPath = program.contains("/")
    self.words =
      [isPath ? Paths.absolute(program, from: Folder.parent(of: configuration.file)) : program]
      + words.dropFirst()
    self.environment = ServiceManager.environment(forOthers: environment)
  }

  private var program: String { words.first ?? "" }

  var fault: String? { ProgramFile(program, environment).fault.map { "\(kind.setting): \($0)" } }

  func start() throws(FileError) -> ChildProcess {
    try ChildProcess(words, environment: environment)
  }

  func finish(_ child: ChildProcess, _ input: [UInt8], within limit: Duration) -> String? {
    let (ending, output) = child.finish(input: input, outputBytes: Self.outputBytes, within: limit)
    let problem: String
    switch ending {
    case .exited(0): return nil
    case .exited(let status): problem = "ended with \(status)"
    case .killed(let signal): problem = "was ended by the signal \(signal)"
    case .overdue: problem = "took longer than \(limit), and was ended"
    }
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
    let said = lines.joined(separator: " ")
    let shown = said.count > Self.shownLetters ? "…\(said.suffix(Self.shownLetters))" : said
    return "\(kind.setting): \(program) \(problem)" + (said.isEmpty ? "." : "; it said: \(shown.printable)")
  }
}
