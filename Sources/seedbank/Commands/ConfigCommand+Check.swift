import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust

extension DeploymentCheck {
  init(
    _ configuration: DeploymentConfiguration, _ overrides: ConfigurationOverrides, _ search: KeySearch
  ) throws {
    try self.init(
      publication: configuration.publication, state: configuration.state,
      configuration.datasets.map(Dataset.init), series: configuration.series, search, now: .now()
    ) { error in
      let report = FailureReport(error)
      return (report.message, report.exitCode == .unavailable)
    }
    try checkVariables(configuration, overrides)
    checkNotices(configuration, overrides.environment)
  }

  /// Warns of variables that look like misspelled settings; see ``ConfigurationOverrides``.
  private mutating func checkVariables(
    _ configuration: DeploymentConfiguration, _ overrides: ConfigurationOverrides
  ) throws {
    let known =
      [Context.configurationVariable] + KeyRole.allCases.map(KeySearch.variable)
      + (try configuration.allEntries(overrides)).map { ConfigurationOverrides.variable(for: $0.path) }
    let unknown = overrides.environment.keys.filter { $0.hasPrefix("SEEDBANK_") && !known.contains($0) }
    for name in unknown.sorted() {
      guard let meant = known.first(where: { editDistance(Array(name), Array($0)) <= Self.slip }) else {
        continue
      }
      add(
        Fault(
          isFatal: false, place: name, problem: "unknown environment variable; did you mean \(meant)?"))
    }
  }

  private static let slip = 2

  private mutating func checkNotices(
    _ configuration: DeploymentConfiguration, _ environment: [String: String]
  ) {
    for (kind, words) in configuration.notices.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let folder = Folder.parent(of: configuration.file)
      let problem = NoticeCommand(kind, words, in: folder, environment).fault
      if let problem { add(Fault(isFatal: true, place: configuration.file, problem: problem)) }
    }
  }
}

extension DeploymentCheck.Dataset {
  fileprivate init(_ dataset: DatasetConfiguration) {
    self.init(
      dataset.name, in: dataset.folder, dataset.policy, fault: dataset.programFault,
      plans: dataset.plans, job: { try DatasetJob(dataset, for: .look) })
  }
}

extension DatasetConfiguration {
  fileprivate var programFault: Fault? {
    guard case .command(let words)? = feed.source else { return nil }
    let program = ProgramFile(words[0], ProgramFile.environment(forOthers: environment))
    return program.fault.map { Fault(isFatal: true, place: file, problem: "origin.command: \($0)") }
  }
}
