import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

struct Deployment {
  let configuration: DeploymentConfiguration
  let publication: PublicationDirectory
  let publisher: Publisher
  let offlineKeys: [FoundKey]

  init(_ configuration: DeploymentConfiguration, _ context: Context, keysIn others: [String] = []) throws {
    self.configuration = configuration
    publication = PublicationDirectory(configuration.publication)
    let search = KeySearch(configuration, others: others, context)
    let found = try search.found()
    try Self.look(at: found, search, context.console)
    offlineKeys = found.filter { $0.role.isOffline && $0.key != nil }
    let keys = KeySource(found.ring) { try search.found().ring }
    publisher = Publisher(configuration, publication, keys: keys, reportingTo: context.console)
  }

  /// Like the initializer, but records a failure as a failed step of each dataset.
  static func noting(
    _ datasets: [DatasetConfiguration], of configuration: DeploymentConfiguration, _ context: Context,
    _ notices: StepNotices
  ) throws -> Deployment {
    do {
      return try Deployment(configuration, context)
    } catch {
      let publisher = Publisher(configuration, keys: KeySource(KeyRing()), reportingTo: context.console)
      publisher.note(error, .keys, of: datasets, notices)
      throw error
    }
  }

  /// Warns of keys that other users can read. Throws if an online role has no key.
  private static func look(at found: [FoundKey], _ search: KeySearch, _ console: Console) throws(Refusal) {
    if search.isFolderOpen { console.warning("\(search.folder): other users can read it: chmod 700 it.") }
    for file in found { file.warn(console) }
    for role in KeyRole.allCases where !role.isOffline && found.ring[role].isEmpty {
      let file = found.first { $0.role == role }
      let problem = file?.fault?.problem ?? "\(search.folder)/\(KeyFileName(role).text): the key is missing"
      let remedy = ": put it back, or replace it with 'seedbank keys rotate \(role.rawValue)'"
      throw Refusal(
        .configuration,
        "\(problem), and every publish step needs it\(file?.isForbidden == true ? "" : remedy).")
    }
  }

  /// Empty if the publication is unreadable, which steps report.
  var abandonedSeries: [AbandonedSeries] {
    (try? publication.published()).map { AbandonedSeries.all(in: $0, besides: configuration.series) } ?? []
  }

  /// The state of published signatures; nil if the publication is unreadable, which steps report.
  func signatures(now: UTCTime) -> SignatureStatus? {
    guard let published = try? publication.published() else { return nil }
    let pending = (try? publisher.pendingChange()) ?? .none
    return SignatureStatus(published, pending: pending, lifetime: configuration.shortestLifetime, now: now)
  }
}

extension FoundKey {
  func warn(_ console: Console) {
    // An unusable file's problem includes its name.
    if let fault { console.warning(fault.isFatal ? "\(fault.problem)." : "\(fault.text).") }
  }
}

extension KeySearch {
  init(_ configuration: DeploymentConfiguration, others: [String] = [], _ context: Context) {
    self.init(configuration.keys, others: others, context.environment)
  }
}

extension Publisher {
  /// With a console, the publisher records its steps and publishes facts about them.
  init(
    _ configuration: DeploymentConfiguration, _ publication: PublicationDirectory? = nil, keys: KeySource,
    reportingTo console: Console? = nil
  ) {
    self.init(
      publication ?? PublicationDirectory(configuration.publication), stateFolder: configuration.state,
      keys: keys)
    graceSeconds = configuration.datasets.map(\.policy.graceSeconds).max() ?? 0
    lifetimes = configuration.lifetimes
    shippedRoot = configuration.rootPath
    guard let console else { return }
    let repeated = RepeatedWarnings()
    let report: @Sendable (LogRecord) -> Void = { record in
      if repeated.isDue(record.message, now: .now()) { console.log(record) }
    }
    history = StepHistory(configuration.state, report: report)
    facts = FactsKeeper(isOn: configuration.hasFacts, report: report)
  }

  /// Makes a dataset's job. If its models are unsuitable, records a failed step and runs the `on.failed` program.
  func job(
    _ dataset: DatasetConfiguration, for use: OriginUse = .step, _ notices: StepNotices? = nil
  ) throws -> DatasetJob {
    do {
      return try DatasetJob(dataset, for: use)
    } catch {
      note(error, .configuration, of: [dataset], notices)
      throw error
    }
  }

  /// For each dataset, records that no step could begin, and runs the `on.failed` program.
  func note(
    _ error: any Error, _ reason: StepRecord.Reason, of datasets: [DatasetConfiguration],
    _ notices: StepNotices?
  ) {
    for dataset in datasets {
      note(failure: Refusal(of: error).message, reason, of: dataset.name, now: .now())
      notices?.start(after: error, of: dataset.name)
    }
  }
}

extension DeploymentConfiguration {
  var rootPath: String { "\(Folder.parent(of: file))/\(DeploymentNames.root)" }
}

extension DatasetJob {
  init(_ dataset: DatasetConfiguration, for use: OriginUse = .step) throws {
    let plans = try dataset.plans()
    self.init(name: dataset.name, origin: try dataset.place(plans, use), plans: plans, policy: dataset.policy)
    (knownOrigin, commandSeconds) = (dataset.knownOrigin, dataset.feed.commandSeconds)
    // Monitors need the interval of 'run'. While 'run' is active, facts written by other commands must include it.
    if RunLock.isHeld(in: dataset.stateFolder) { checkSeconds = dataset.checkSeconds }
  }
}

extension DatasetConfiguration {
  fileprivate func place(_ plans: [SeriesPlan], _ use: OriginUse) throws -> any OriginPlace {
    guard feed.source != nil else { return try databasePlace() }
    return FeedPlace(
      name, feed, plans, stateFolder: stateFolder,
      environment: ProgramFile.environment(forOthers: environment), use: use)
  }
}

/// Prevents a second `run` of the same deployment. The kernel releases it when the process ends.
struct RunLock: ~Copyable {
  private let file: File

  private static func path(in stateFolder: String) -> String { "\(stateFolder)/.run.lock" }

  static func isHeld(in stateFolder: String) -> Bool { LockHolder.name(of: path(in: stateFolder)) != nil }

  init(_ stateFolder: String) throws {
    let path = Self.path(in: stateFolder)
    try Folder.createPrivate(stateFolder)
    let file = try File(path, for: .updating, mode: 0o600)
    guard try file.tryLock() else {
      let holder = LockHolder.name(of: path).map { " (\($0))" } ?? ""
      throw Refusal(
        .locked,
        "Another 'seedbank run' publishes this deployment\(holder): end it first. For one more front, use 'seedbank serve'; "
          + "for one step, 'seedbank regenerate'.")
    }
    self.file = file
  }
}
