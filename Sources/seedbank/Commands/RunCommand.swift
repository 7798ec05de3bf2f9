internal import CLinux
import SeedDatabase
import SeedFormat
import SeedFront
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let run = Command(
    name: "run", abstract: "Publish on schedule and serve, in one process.",
    discussion: """
      Publishes the origins' data, serves it, and prints how to fetch it with curl, with seedbank and from Swift. \
      Then it checks every origin on its schedule.

      After SIGTERM or SIGINT it finishes all responses in progress, including downloads, and ends after http.graceSeconds \
      (default: 30) at the latest. A publish step that takes longer is cancelled, and repeated at \
      the next start. A second signal ends it at once. The exit code is 78 if clients reject the publication because \
      signatures have expired, and 75 if another 'seedbank run' publishes this deployment.
      """,
    options: [.config, .flag("demo", help: "Also change the demo's origin every few seconds.")]
      + Parameter.front + Parameter.log,
    examples: [
      ("seedbank run", "Run the deployment that 'seedbank init' made in this folder."),
      ("seedbank run --port 0", "Use a free port, which is printed."),
    ]
  ) { arguments, context in
    // Must be called before any thread starts.
    seedbank_limit_arenas(arenas)
    // Created early, so that a signal during the start ends the process gracefully.
    let signals = try StopSignals()
    let configuration = try context.configuration(arguments)
    if arguments.flag("demo"), !DemoDeployment.hasMade(configuration.datasets.first) {
      throw arguments.unsuitable("demo", configuration.file, "a deployment that 'seedbank demo' made")
    }
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    let lock = try RunLock(configuration.state)
    let notices = StepNotices(configuration, context)
    let deployment = try Deployment.noting(configuration.datasets, of: configuration, context, notices)
    let service = RunService(
      deployment: deployment, arguments: arguments, context: context, manager: ServiceManager(context),
      notices: notices)
    try await service.run(until: signals)
    withExtendedLifetime(lock) {}
  }
}

/// The maximum number of malloc's arenas. By default, glibc creates up to eight per processor and gives a new
/// thread the least used one. Each publish step uses a new thread, so each arena in turn would grow to a
/// step's peak and keep that memory. The process would grow for hours (see the article with the figures). With
/// two arenas, threads seldom contend, because each caches some memory.
private let arenas: Int32 = 2

private struct RunService {
  let deployment: Deployment
  let arguments: ParsedArguments
  let context: Context
  let manager: ServiceManager
  let notices: StepNotices
  private let repeated = RepeatedWarnings()

  private static let signatureSeconds = 3600
  /// Seconds for which a running step and an `on.…` program may continue after the front has stopped.
  private static let stepGraceSeconds = 3
  private static let killSeconds = 1
  /// Seconds between updates of the published facts about this machine.
  private static let standingSeconds = 10
  private static let demoSeconds = 3

  func run(until signals: StopSignals) async throws {
    context.console.logStart(deployment.configuration)
    let mirrors = Mirrors(deployment.configuration, deployment.publication, context)
    let front = try Front(deployment.configuration, arguments, context, sharing: deployment.publication)
    let services = try deployment.configuration.datasets.map { try service($0, front) }
    for series in deployment.abandonedSeries { context.console.warning(series.warning) }
    warnOfOfflineKeys()
    let work = Task {
      do {
        try await mirrors.check()
      } catch {
        // Another publisher is ahead on a mirror, so this one must neither publish nor serve.
        await stop(front)
        await note(error)
        throw error
      }
      try await publish(services, front, mirrors, signals)
    }
    let end = Task {
      let signal = await signals.first()
      manager.notifyStopping(frontSeconds: deployment.configuration.stopSeconds)
      context.console.logStopping(
        signal, isOvertaken: mirrors.failure != nil, drainSeconds: deployment.configuration.drainSeconds)
      work.cancel()
      await stop(front)
    }
    let deadline = Task {
      await end.value
      try await Task.sleep(for: .seconds(Self.stepGraceSeconds))
      notices.end()
      try await Task.sleep(for: .seconds(Self.killSeconds))
      exitDuringStep(failure(mirrors))
    }
    try await work.value
    await end.value
    if let overtaken = mirrors.failure { await note(overtaken) }
    deadline.cancel()
    if let failure = failure(mirrors) { throw failure }
  }

  /// Records that no further step can be made.
  private func note(_ error: any Error) async {
    try? await blocking {
      deployment.publisher.note(error, .publication, of: deployment.configuration.datasets, notices)
    }
  }

  private func failure(_ mirrors: Mirrors) -> (any Error)? {
    mirrors.failure ?? deployment.signatures(now: .now())?.failure
  }

  private func publish(
    _ services: [PublishingService], _ front: Front, _ mirrors: Mirrors, _ signals: StopSignals
  ) async throws {
    let start = Task { await manager.extendStart() }
    // A failed step is retried on schedule. Until it succeeds, the front serves the existing publication.
    for service in services where !Task.isCancelled { await service.attempt() }
    start.cancel()
    if Task.isCancelled { return }
    try context.console.announce(front)
    manager.notifyReady()
    try welcome(front)
    await withTaskGroup { group in
      for service in services { group.addTask { await service.run() } }
      // If a mirror reveals a second publisher, end this process as an operator's signal would.
      group.addTask { await mirrors.follow { signals.stop() } }
      group.addTask { await watchSignatures() }
      group.addTask { await watchStanding() }
      if arguments.flag("demo") { group.addTask { await changeDemo(services) } }
    }
  }

  /// Stops the front in its own thread, so that clients and load balancers notice the shutdown even during a step.
  private func stop(_ front: Front) async {
    let cut = try? await blocking { front.stop(deployment.configuration) }
    context.console.logStopped(cutting: cut ?? 0)
  }

  /// Ends the process before a supervisor kills it, even during a step or an upload, which may take minutes.
  /// Both may be interrupted at any time, because the next step or upload repeats the work.
  private func exitDuringStep(_ failure: (any Error)?) -> Never {
    context.console.note(
      "A publish step or an upload to a mirror is still running. It is cancelled; the next start repeats it.")
    FeedProgram.endAll()
    _exit((failure.map { Refusal(of: $0).exitCode } ?? .success).rawValue)
  }

  private func watchSignatures() async {
    while !Task.isCancelled {
      deployment.signatures(now: .now())?.warnings.forEach(warn)
      try? await Task.sleep(for: .seconds(Self.signatureSeconds))
    }
  }

  private func watchStanding() async {
    while !Task.isCancelled {
      let warnings = try? await blocking {
        deployment.updateFacts(context)
        return try deployment.keyWarnings(context)
      }
      warnings?.forEach(warn)
      try? await Task.sleep(for: .seconds(Self.standingSeconds))
    }
  }

  private func warn(_ text: String) { if repeated.isDue(text, now: .now()) { context.console.warning(text) } }

  private func warnOfOfflineKeys() {
    let offline = deployment.offlineKeys.map(\.path.printable)
    guard !offline.isEmpty else { return }
    context.console.warning(
      "\(offline.joined(separator: ", ")): these keys can replace all others, but are on this machine. Once the"
        + " deployment works, move them to a place without a network, and give their folder with --with to commands that need them."
    )
  }

  private func service(_ dataset: DatasetConfiguration, _ front: Front) throws -> PublishingService {
    var job = try deployment.publisher.job(dataset, for: .schedule, notices)
    job.checkSeconds = dataset.checkSeconds
    let overrides = context.overrides(arguments)
    let followed = FollowedDataset(job, of: dataset.models, in: dataset.folder) {
      let found = try DatasetConfiguration(dataset.name, readingFolder: dataset.folder, overrides: overrides)
      return (found.models, found.policy.lifecycles, found.knownOrigin)
    }
    return PublishingService(
      publisher: deployment.publisher, dataset: followed, checkSeconds: dataset.checkSeconds, front: front,
      console: context.console, repeated: repeated, notices: notices)
  }

  private func welcome(_ front: Front) throws {
    for dataset in deployment.configuration.datasets {
      guard let plan = try dataset.plans().last else { continue }
      try context.console.result(welcome(dataset.name, plan, front))
    }
  }

  private func welcome(_ dataset: DatasetName, _ plan: SeriesPlan, _ front: Front) -> String {
    let (server, model, root) = (front.address, plan.newest.version, deployment.configuration.rootPath)
    // Prints the path with which the program was called, because it may not be in PATH.
    let program = shellQuoted(CommandLine.arguments.first ?? "seedbank")
    let snippet = SwiftSnippet(dataset: dataset, model: model, schema: plan.schema.hash)
    let table = SwiftSnippet.example(among: plan.schema.tables)
    return """
      \(front.hasPage ? "page   \(server)/\n" : "")\
      curl   curl -L -o \(dataset).sqlite.gz '\(server)/v1/\(dataset)/snapshot?model=\(model)'
      pull   \(program) pull \(server) --dataset \(dataset) --model \(model) \
      --store \(plan.series.roleName)-store \
      --root \(shellQuoted(root)) --watch
      swift  this main.swift prints rows now and after every change:

      \(table.map { snippet.program(server: server, root: root, table: $0) } ?? snippet.declaration)
      """
  }

  private func changeDemo(_ services: [PublishingService]) async {
    guard let origin = services.first?.dataset.job.origin.watchedFile else { return }
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(Self.demoSeconds))
      if Task.isCancelled { return }
      do {
        context.console.note("demo: \(try DemoOrigin.change(origin))")
      } catch {
        context.console.warning("demo: \(error)")
      }
    }
  }
}
