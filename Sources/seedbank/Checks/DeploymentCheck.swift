import Foundation
import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Looks for everything that a publish step would refuse, and publishes nothing.
struct DeploymentCheck {
  struct Fault {
    let isFatal: Bool
    /// Of the fatal ones: `unavailable` where it may pass without anyone mending it.
    let exitCode: ExitCode
    /// A file, a dataset or a series.
    let place: String
    /// Without the full stop.
    let problem: String
  }

  private let configuration: DeploymentConfiguration
  private let now: UTCTime
  /// The keys are here that delegate to a new series.
  private var canDelegate = false
  private(set) var faults: [Fault] = []

  init(
    _ configuration: DeploymentConfiguration, _ overrides: ConfigurationOverrides, _ search: KeySearch,
    now: UTCTime
  ) throws {
    self.configuration = configuration
    self.now = now
    let published = checkPublication()
    let keys = try KeyStatus.all(search, trustedBy: published)
    for problem in keys.flatMap(\.problems) { add(problem.isFatal, problem.place, problem.text) }
    if search.isFolderOpen { add(false, search.folder, "others can look into it: chmod 700 it") }
    canDelegate = keys.first { $0.role == .targets }?.canSign == true
    checkFolders()
    for dataset in configuration.datasets { check(dataset, published) }
    for series in published.map({ AbandonedSeries.all(in: $0, configuration) }) ?? [] {
      add(false, "\(series.series)", series.problem)
    }
    try checkVariables(overrides)
  }

  private mutating func add(
    _ isFatal: Bool, _ place: String, _ problem: String, _ exitCode: ExitCode = .configuration
  ) {
    faults.append(Fault(isFatal: isFatal, exitCode: exitCode, place: place, problem: problem))
  }

  private mutating func add(_ place: String, _ error: any Error) {
    let report = FailureReport(error)
    let text = report.message.hasSuffix(".") ? String(report.message.dropLast()) : report.message
    add(true, place, text, report.exitCode)
  }

  /// Warns of variables that look like one of ours and are none; see ``ConfigurationOverrides``.
  private mutating func checkVariables(_ overrides: ConfigurationOverrides) throws {
    let known =
      [Context.configurationVariable] + KeyRole.allCases.map(KeySearch.variable)
      + (try configuration.allEntries(overrides)).map { ConfigurationOverrides.variable(for: $0.path) }
    for name in overrides.environment.keys.sorted() where name.hasPrefix("SEEDBANK_") && !known.contains(name)
    {
      guard let meant = known.first(where: { editDistance(Array(name), Array($0)) <= Self.slip }) else {
        continue
      }
      add(false, name, "unknown environment variable; did you mean \(meant)?")
    }
  }

  /// Letters by which a slip differs.
  private static let slip = 2

  // MARK: Publication

  private mutating func checkPublication() -> PublishedMetadata? {
    do {
      let published = try PublicationDirectory(configuration.publication).published()
      let offline = [("root", published.root.expires), ("targets", published.targets.expires)]
      for (name, expires) in offline {
        guard let text = ExpiryWarning(now: now).text(name, expires) else { continue }
        add(expires <= now, configuration.publication, text)
      }
      return published
    } catch {
      add(configuration.publication, error)
      return nil
    }
  }

  private mutating func checkFolders() {
    for path in [configuration.publication, configuration.state] {
      var nearest = path
      while !Folder.exists(nearest), nearest != "/" { nearest = Paths.folder(of: nearest) }
      if !FileManager.default.isWritableFile(atPath: nearest) {
        add(true, nearest, "this user cannot write here, and a publish step must")
      }
    }
  }

  // MARK: Datasets

  private mutating func check(_ dataset: DatasetConfiguration, _ published: PublishedMetadata?) {
    let plans: [SeriesPlan]
    do {
      plans = try dataset.plans()
    } catch {
      return add(dataset.folder, error)
    }
    for major in dataset.policy.lifecycles.keys.sorted()
    where !plans.contains(where: { $0.series.major == major }) {
      add(false, dataset.folder, "lifecycle.\(major): there is no model of that major; remove this entry")
    }
    for plan in plans {
      for warning in plan.warnings { add(false, "\(plan.series)", warning) }
      check(plan, published)
    }
    if plans.allSatisfy({ dataset.policy.lifecycles[$0.series.major]?.isRetired == true }) { return }
    checkOrigin(dataset, plans)
  }

  private mutating func check(_ plan: SeriesPlan, _ published: PublishedMetadata?) {
    guard let published else { return }
    if !published.delegatedSeries.contains(plan.series), !canDelegate {
      add("\(plan.series)", PublicationError.notDelegated(series: "\(plan.series)"))
    }
    guard let state = published.series[plan.series]?.metadata.state else { return }
    do {
      try plan.check(against: state)
    } catch {
      add("\(plan.series)", error)
    }
  }

  private mutating func checkOrigin(_ dataset: DatasetConfiguration, _ plans: [SeriesPlan]) {
    let origin: SQLiteOrigin
    do {
      origin = try SQLiteOrigin(dataset.originPath)
    } catch {
      return add(dataset.name.text, error)
    }
    for plan in plans {
      for table in plan.schema.tables {
        do {
          try plan.prove(table, against: origin)
        } catch {
          add("\(plan.series)", error)
        }
      }
    }
  }
}

/// Series that are published, and not over, though the configuration has no model of theirs any more.
struct AbandonedSeries {
  let series: Series
  let head: Version

  static func all(in published: PublishedMetadata, _ configuration: DeploymentConfiguration) -> [Self] {
    let known = configuration.datasets.flatMap { dataset in
      dataset.models.map { Series(dataset.name, model: $0.version) }
    }
    return published.series.values.map(\.metadata).filter {
      !known.contains($0.series) && !$0.state.lifecycle.isRetired
    }
    .map { Self(series: $0.series, head: $0.state.head) }.sorted { $0.series < $1.series }
  }

  /// Without the full stop.
  var problem: String {
    "published at version \(head), but no folder of its models is left: its clients get nothing new; "
      + "put models/\(series.major).* back, and where it is to end publish once with \"lifecycle\": "
      + "{\"\(series.major)\": {\"state\": \"retired\"}} in \(series.dataset)/\(DatasetConfiguration.fileName)"
  }

  var warning: String { "\(series): \(problem)" }
}
