import Dispatch
import SeedFormat
import SeedServer
import SeedSystem

/// Tells an operator's programs what happened, beside the work and never in its way.
final class Notices: Sendable {
  private struct State {
    var queues: [NoticeKind: NoticeQueue] = [:]
    var children: [NoticeKind: ChildProcess] = [:]
    var isOver = false
  }

  private let commands: [NoticeKind: NoticeCommand]
  private let source: String
  private let memory: NoticeMemory
  private let limit: Duration
  private let report: @Sendable (LogRecord) -> Void
  private let state = Mutex(State())

  /// For one start of a program.
  static let limit = Duration.seconds(30)
  /// For all that is told at the end of a step: what comes during one start of a program is told by a second.
  static let longest = limit * 2
  /// Before a program that failed is told the same by the same process; another process tells it at once.
  static let retryPause = Duration.seconds(60)
  /// For a program that was killed to be gone.
  private static let endPatience = Duration.seconds(5)
  /// Between two looks whether all is told.
  private static let lookMicroseconds: UInt32 = 20_000

  init(
    _ configuration: DeploymentConfiguration, _ environment: [String: String],
    limit: Duration = Notices.limit, retryPause: Duration = Notices.retryPause,
    report: @escaping @Sendable (LogRecord) -> Void
  ) {
    commands = Dictionary(
      uniqueKeysWithValues: configuration.notices.map {
        ($0, NoticeCommand($0, $1, configuration, environment))
      })
    source = configuration.file
    memory = NoticeMemory(configuration.state, retryPause: retryPause)
    (self.limit, self.report) = (limit, report)
  }

  /// Tells a fact where somebody wants to hear of its kind. With `once` it is told once, until its topic has another text
  /// or ``forget(_:)``; a program that failed has not been told.
  func tell(_ kind: NoticeKind, _ fact: @autoclosure () -> JSONValue, once: NoticeMemory.Entry? = nil) {
    guard let command = commands[kind] else { return }
    if let once, !memory.begin(once) { return }
    let notice = Notice(fact: fact(), once: once)
    let (batch, dropped) = state.withLock {
      $0.isOver ? (nil, nil) : $0.queues[kind, default: NoticeQueue()].add(notice)
    }
    if let once = dropped?.once { memory.end(once, isTold: false) }
    // On a thread of its own, for it waits for the program.
    if let batch { DispatchQueue(label: "seedbank.notice").async { self.work(command, batch) } }
  }

  /// What a topic told before is news again when it comes again.
  func forget(_ topic: String) { if !commands.isEmpty { memory.forget(topic) } }

  private func work(_ command: NoticeCommand, _ first: NoticeQueue.Batch) {
    var batch: NoticeQueue.Batch? = first
    while let current = batch {
      let problem = run(command, document(command.kind, current))
      if let problem { report(LogRecord(.warning, problem)) }
      // Before the queue rests: then a process may end.
      for once in current.notices.compactMap(\.once) { memory.end(once, isTold: problem == nil) }
      batch = state.withLock { state in
        state.children[command.kind] = nil
        return state.queues[command.kind]?.next()
      }
    }
  }

  private func run(_ command: NoticeCommand, _ input: [UInt8]) -> String? {
    do throws(FileError) {
      let child = try command.start()
      let isOver = state.withLock { state in
        state.children[command.kind] = child
        return state.isOver
      }
      if isOver { child.kill() }
      return command.finish(child, input, within: limit)
    } catch {
      return (command.fault ?? command.doubt).map { "\($0)." } ?? "\(command.kind.setting): \(error)."
    }
  }

  private func document(_ kind: NoticeKind, _ batch: NoticeQueue.Batch) -> [UInt8] {
    let json: JSONValue = [
      "event": .string(kind.rawValue), "time": .string(UTCTime.now().text), "configuration": .string(source),
      "facts": .array(batch.notices.map(\.fact)), "dropped": JSONValue(batch.dropped),
    ]
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Waits until all is told, for so long at most; what is then still under way is ended. A machine's sleep does not count:
  /// it gave the programs no time either.
  func finish(within patience: Duration) async {
    try? await blocking { [self] in
      waitUntilIdle(for: patience)
      endAll()
      // What was ended is still told of.
      waitUntilIdle(for: Self.endPatience)
    }
  }

  private func waitUntilIdle(for patience: Duration) {
    let deadline = SuspendingClock.now + patience
    while !isIdle, SuspendingClock.now < deadline { usleep(Self.lookMicroseconds) }
  }

  /// All is told that was to be told.
  var isIdle: Bool { state.withLock { state in !state.queues.values.contains(where: \.isBusy) } }

  /// Ends what is under way, before this process ends.
  func endAll() {
    let children = state.withLock { state in
      state.isOver = true
      for kind in state.queues.keys { state.queues[kind]?.clear() }
      return Array(state.children.values)
    }
    for child in children { child.kill() }
  }
}

extension Context {
  func notices(_ configuration: DeploymentConfiguration) -> Notices {
    Notices(configuration, environment) { console.tell($0) }
  }
}
