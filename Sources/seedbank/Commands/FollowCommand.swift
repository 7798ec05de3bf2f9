import SeedClient
import SeedFormat
import SeedFront
import SeedPublication
import SeedPublisher
import SeedSystem

extension Command {
  static let follow = Command(
    name: "follow", abstract: "Keep a verified copy of a publication that is elsewhere, and serve it.",
    discussion: """
      Reads a publication over HTTP from a front or any static host, verifies it as a client does, beginning with the root file, \
      and copies its files into a folder. Metadata is copied after the files that it names, and timestamp.json last, so that clients can \
      read the folder at all times. It needs no key and no configuration. Files that are no longer published are removed after the grace period.

      With --serve, the same process serves the folder. Its page, /readyz and /metrics show when it last reached the \
      publication. If a client without the library already has a newer version from another front, this front asks the \
      client to try again, so that the client does not download a snapshot.

      Instead of an address, you can give a folder, such as a disk that was carried into an isolated network. Each file is \
      compared with its signed hash while it is copied.

      Give the oldest root.json that apps still ship, so that the copy contains it and all later ones.

      Exit codes of --once: 0 done, 1 a signal ended it, 65 the publication was rejected, 69 it does not answer or its disk is \
      not mounted, 74 a disk failed, 75 another process already writes into the folder, 78 the root file is unusable, or the \
      folder holds another publication or a deployment.
      """,
    arguments: [
      .argument(
        "source",
        help:
          "The address of the publication, a folder that holds a copy of it, or s3://bucket/prefix with credentials."
      )
    ],
    options: [
      .value("root", "file", isRequired: true, help: "The publication's root.json, from a source you trust."),
      .value(
        "to", "folder", isRequired: true, help: "The folder for the copy; it is created if it does not exist."
      ),
      .flag("once", help: "Check once, then exit."),
      .value("every", "seconds", help: "Seconds between checks (default: \(FollowJob.usualEverySeconds))."),
      .value(
        "grace", "seconds",
        help:
          "Seconds to keep a file after metadata last named it, at least 60 (default: \(Follower.usualGraceSeconds))."
      ),
      .flag(
        "verify",
        help: "First compare every file in the folder with its signed hash, and fetch damaged files again."),
      .flag("serve", help: "Also serve the folder; SEEDBANK_HTTP_* variables configure it."), .json,
    ] + Parameter.front + Parameter.log,
    examples: [
      (
        "seedbank follow https://seeds.example --root root.json --to copy --once",
        "Copy a publication once, for a static host."
      ),
      (
        "seedbank follow https://seeds.example --root root.json \\\n"
          + "      --to /var/lib/seeds --serve --host :: --port 80",
        "A front that shares no disk with the publisher."
      ),
    ]
  ) { arguments, context in
    let job = try FollowJob(arguments, context)
    if arguments.flag("once") { try await job.once() } else { try await job.run() }
  }
}

private struct FollowJob: Sendable {
  private let arguments: ParsedArguments
  private let context: Context
  private let follower: Follower
  private let everySeconds: Int
  private let graceSeconds: Int
  private let configuration: DeploymentConfiguration
  private let signals: StopSignals
  private let progress: FollowProgress
  private let repeated = RepeatedWarnings()

  static let usualEverySeconds = 5

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    (self.arguments, self.context) = (arguments, context)
    signals = try StopSignals()
    try arguments.refuse("once", beside: "serve")
    try arguments.require("once", beside: "json")
    try arguments.require("serve", beside: "host", "port", "public")
    // Parsing has checked that there is exactly one source.
    let source = try arguments.sources("source", context)[0]
    everySeconds = try arguments.integer("every", in: 1...UTCTime.secondsPerDay) ?? Self.usualEverySeconds
    progress = FollowProgress(FollowState(every: everySeconds, now: .now()))
    let path = try arguments.requiredPath("to")
    try Self.refuseDeployment(path)
    configuration = try DeploymentConfiguration(serving: path, overrides: context.overrides(arguments))
    try configuration.checkVariables(context.environment)
    graceSeconds = try arguments.integer("grace", in: 60...604_800) ?? Follower.usualGraceSeconds
    let root = try arguments.rootFile() ?? []
    let folder = try FollowFolder(path)
    follower = Follower(
      folder: folder, source: try source(folder.parts), root: root, graceSeconds: graceSeconds)
  }

  /// Rejects a deployment's folder, because a web server that serves the copy would also serve private keys.
  private static func refuseDeployment(_ path: String) throws(Refusal) {
    guard Folder.exists("\(path)/\(DeploymentNames.file)") else { return }
    throw Refusal(
      .configuration,
      "\(path.printable) holds a deployment, with its keys: choose another folder, because a copy is public.")
  }

  func once() async throws {
    try await signals.cancelling {
      try await withTaskCancellationHandler {
        try await lookOnce()
      } onCancel: {
        _ = deadline(.failure)
      }
    }
  }

  private func lookOnce() async throws {
    do {
      let report = try await follower.look(rehashing: arguments.flag("verify"))
      report.warnings.forEach(context.console.warning)
      try context.console.report(report.json, report.text)
    } catch  where Task.isCancelled {
      throw Refusal(.failure, "A signal ended the check. The copy is unchanged; the next check continues.")
    }
  }

  func run() async throws {
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    context.console.logStart(configuration)
    guard arguments.flag("serve") else {
      return await finish(context.work(until: signals, configuration) { await follow {} })
    }
    let front = try Front(
      configuration, arguments, context, sharing: follower.folder.publication, following: progress,
      graceSeconds: graceSeconds)
    try context.console.announce(front)
    // `try?` loses no error, because the front also polls, and logs a failed reload.
    let work = await context.work(until: signals, configuration) { await follow { try? front.reload() } }
    context.console.logStopped(cutting: front.stop(configuration))
    await finish(work)
  }

  private func finish(_ work: Task<Void, Never>) async {
    let deadline = deadline(.success)
    await work.value
    deadline.cancel()
  }

  /// Seconds that a cancelled check may take.
  private static let endSeconds = 3

  /// Ends the process during a check that still waits for its source, which may take minutes. The check may be
  /// interrupted at any time, because the next one repeats its work.
  private func deadline(_ code: ExitCode) -> Task<Void, any Error> {
    Task {
      try await Task.sleep(for: .seconds(Self.endSeconds))
      context.console.warning("A check still waits for its source. It is cancelled; the next one repeats it.")
      _exit(code.rawValue)
    }
  }

  /// Checks until cancelled. Logs a repeated failure once.
  private func follow(onChange: () -> Void) async {
    let interval = PollInterval(pollSeconds: everySeconds)
    var (failures, rehashes) = (0, arguments.flag("verify"))
    while !Task.isCancelled {
      let failure = await look(rehashing: rehashes, onChange)
      if Task.isCancelled { return }
      failures = failure == nil ? 0 : failures + 1
      note(failure, inARow: failures)
      if failure == nil { rehashes = false }
      let asked = (failure as? SeedError)?.retryAfter
      try? await Task.sleep(
        for: interval.wait(afterFailures: failures, chance: .random(in: 0...1), asked: asked))
    }
  }

  private func look(rehashing: Bool, _ onChange: () -> Void) async -> (any Error)? {
    progress.note { $0.begins() }
    do {
      let report = try await follower.look(rehashing: rehashing)
      if !report.isUnchanged { onChange() }
      context.console.log(report.record)
      report.warnings.filter { repeated.isDue($0, now: .now()) }.forEach(context.console.warning)
      return nil
    } catch { return error }
  }

  /// Reports older metadata only after this many checks in a row, because a cache or follower may lag for a moment.
  private static let olderLooks = 3

  private func note(_ failure: (any Error)?, inARow count: Int) {
    if (failure as? FollowFailure)?.isOlder == true, count < Self.olderLooks { return }
    let before = progress.current.failure
    guard let failure else {
      progress.note { $0.succeeded(at: .now()) }
      if before != nil { context.console.log(LogRecord(.notice, "checks succeed again")) }
      return
    }
    let message = Refusal(of: failure).message
    progress.note { $0.failed(message) }
    if message != before { context.console.error(message) }
  }
}
