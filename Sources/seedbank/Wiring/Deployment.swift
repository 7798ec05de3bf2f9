import SeedDatabase
import SeedFormat
import SeedServer
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
    var publisher = Publisher(configuration, publication, keys: keys)
    let repeated = RepeatedWarnings()
    let report: @Sendable (LogRecord) -> Void = { record in
      if repeated.isDue(record.message, now: .now()) { context.console.tell(record) }
    }
    publisher.history = StepHistory(configuration.state, report: report)
    publisher.facts = FactsKeeper(isOn: configuration.hasFacts, report: report)
    self.publisher = publisher
  }

  /// Warns of keys that others can read; throws where a role that signs each step has none.
  private static func look(
    at found: [FoundKey], _ search: KeySearch, _ console: Console
  ) throws(CommandFailure) {
    ProcessSecrets.guardMemory()
    if search.isFolderOpen { console.warning("\(search.folder): other users can read it: chmod 700 it.") }
    for file in found {
      // A file that cannot be used is named by its problem.
      if let fault = file.fault { console.warning(fault.isFatal ? "\(fault.problem)." : "\(fault.text).") }
    }
    for role in KeyRole.allCases where !role.isOffline && found.ring[role].isEmpty {
      let damage = found.first { $0.role == role }?.fault?.problem
      throw CommandFailure(
        .configuration,
        (damage ?? "\(search.folder)/\(KeyFileName(role).text): the key is missing")
          + ", and every publish step needs it: put it back, or replace it with 'seedbank keys rotate \(role.rawValue)'."
      )
    }
  }

  /// None where the publication cannot be read, which is the steps' to say.
  var abandonedSeries: [AbandonedSeries] {
    (try? publication.published()).map { AbandonedSeries.all(in: $0, configuration) } ?? []
  }

  /// How the signatures of what is published stand; `nil` where it cannot be read, which is the steps' to say.
  func signatures(now: UTCTime) -> SignatureStanding? {
    guard let published = try? publication.published() else { return nil }
    let pending = (try? publisher.pendingChange()) ?? .none
    return SignatureStanding(published, pending: pending, lifetime: configuration.shortestLifetime, now: now)
  }
}

extension Publisher {
  init(
    _ configuration: DeploymentConfiguration, _ publication: PublicationDirectory? = nil, keys: KeySource
  ) {
    self.init(
      publication ?? PublicationDirectory(configuration.publication), stateFolder: configuration.state,
      keys: keys)
    graceSeconds = configuration.datasets.map(\.policy.graceSeconds).max() ?? 0
    longestLifetimeSeconds = configuration.longestLifetime
  }
}

extension DeploymentConfiguration {
  var rootPath: String { "\(Folder.parent(of: file))/\(DeploymentDraft.rootName)" }

  func datasets(chosenBy arguments: ParsedArguments) throws(UsageError) -> [DatasetConfiguration] {
    guard let name = arguments.string("dataset") else { return datasets }
    let chosen = datasets.filter { $0.name.text == name }
    guard !chosen.isEmpty else {
      throw arguments.unsuitable("dataset", name, alternatives(datasets.map(\.name.text)))
    }
    return chosen
  }
}

extension DatasetJob {
  init(_ dataset: DatasetConfiguration) throws {
    self.init(
      name: dataset.name, origin: try dataset.place(), plans: try dataset.plans(),
      policy: dataset.policy)
    knownOrigin = dataset.knownOrigin
  }
}
