import SeedDatabase
package import SeedFormat
import SeedPublication
package import SeedSystem
package import SeedTrust

/// Finds everything that a publish step would reject; publishes nothing.
package struct DeploymentCheck {
  private let publication: String
  private let state: String
  private let now: UTCTime
  private let explain: (any Error) -> Explanation
  private var canDelegate = false
  package private(set) var faults: [Fault] = []

  package typealias Explanation = (message: String, isUnavailable: Bool)

  /// One dataset's configuration, parts of which may be unusable.
  package struct Dataset {
    let name: DatasetName
    let folder: String
    let policy: PublishingPolicy
    let plans: () throws -> [SeriesPlan]
    let job: () throws -> DatasetJob
    let fault: Fault?

    package init(
      _ name: DatasetName, in folder: String, _ policy: PublishingPolicy, fault: Fault?,
      plans: @escaping () throws -> [SeriesPlan], job: @escaping () throws -> DatasetJob
    ) {
      (self.name, self.folder, self.policy, self.fault) = (name, folder, policy, fault)
      (self.plans, self.job) = (plans, job)
    }

    func isRetired(_ series: SeedSeries) -> Bool { policy.lifecycles[series.major]?.isRetired == true }
  }

  /// `root` is the path of the root.json that apps ship. `series` contains every series that has a model.
  package init(
    publication: String, root: String, state: String, _ datasets: [Dataset], series: Set<SeedSeries>,
    _ search: KeySearch, now: UTCTime, explain: @escaping (any Error) -> Explanation
  ) throws {
    (self.publication, self.state, self.now, self.explain) = (publication, state, now, explain)
    let published = checkPublication(root)
    let keys = try KeyStatus.all(search, trustedBy: published)
    faults += keys.flatMap(\.faults)
    if search.isFolderOpen { add(false, search.folder, "other users can read it: chmod 700 it") }
    canDelegate = keys.first { $0.role == .targets }?.canSign == true
    checkFolders()
    for dataset in datasets { check(dataset, published) }
    for series in published.map({ AbandonedSeries.all(in: $0, besides: series) }) ?? [] {
      add(false, "\(series.series)", series.problem)
    }
  }

  private mutating func add(_ isFatal: Bool, _ place: String, _ problem: String) {
    add(Fault(isFatal: isFatal, place: place, problem: problem))
  }

  package mutating func add(_ fault: Fault) {
    if !faults.contains(fault) { faults.append(fault) }
  }

  private mutating func checked<Value>(_ place: String, _ body: () throws -> Value) -> Value? {
    do {
      return try body()
    } catch {
      let (message, isUnavailable) = explain(error)
      add(Fault(isFatal: true, place: place, problem: message.unclosed, isUnavailable: isUnavailable))
      return nil
    }
  }

  private mutating func checkPublication(_ root: String) -> PublishedMetadata? {
    let folder = PublicationDirectory(publication)
    _ = checked(publication) {
      try folder.checkRoots(shipped: root)
      if FollowFolder.isBegun(in: folder.path) { throw PublicationError.unfinished(path: folder.path) }
    }
    guard let published = checked(publication, folder.published) else { return nil }
    for signature in published.signatures where signature.isOffline {
      if let text = signature.warning(now: now) { add(signature.expires <= now, publication, text) }
    }
    return published
  }

  private mutating func checkFolders() {
    for path in [publication, state] {
      let nearest = DeploymentInstaller.nearestFolder(path)
      if access(nearest, W_OK) != 0 {
        add(true, nearest, "publish steps write here, but this user cannot; give the user write access")
      }
    }
  }

  private mutating func check(_ dataset: Dataset, _ published: PublishedMetadata?) {
    guard let plans = checked(dataset.folder, dataset.plans) else { return }
    for (major, lifecycle) in dataset.policy.lifecycles.sorted(by: { $0.key < $1.key }) {
      // A retired major may keep its lifecycle entry after its models are gone.
      let isNamed = published?.snapshot.meta["\(dataset.name)-\(major).json"] != nil
      if !isNamed, !plans.contains(where: { $0.series.major == major }) {
        add(false, dataset.folder, "lifecycle.\(major): there is no model of that major; remove this entry")
      }
      if let overdue = lifecycle.overdue(major, now: now) { add(false, dataset.folder, overdue) }
    }
    let isAllNew = published.map { known in plans.allSatisfy { !known.delegatedSeries.contains($0.series) } }
    for plan in plans {
      for warning in plan.warnings { add(false, "\(plan.series)", warning) }
      check(plan, published, isAllNew: isAllNew ?? false, isRetired: dataset.isRetired(plan.series))
    }
    if plans.allSatisfy({ dataset.isRetired($0.series) }) { return }
    checkOrigin(dataset)
  }

  /// Without the targets key, new series are not published. This is fatal only if all series of the dataset are new.
  private mutating func check(
    _ plan: SeriesPlan, _ published: PublishedMetadata?, isAllNew: Bool, isRetired: Bool
  ) {
    guard let published else { return }
    if !canDelegate, !isRetired, !published.delegatedSeries.contains(plan.series) {
      add(isAllNew, "\(plan.series)", "\(PublicationError.notDelegated(series: "\(plan.series)"))")
    }
    _ = checked("\(plan.series)") {
      if let state = published.series[plan.series]?.metadata.state { try plan.check(against: state) }
    }
  }

  private mutating func checkOrigin(_ dataset: Dataset) {
    if let fault = dataset.fault { add(fault) }
    guard let job = checked(dataset.name.text, dataset.job), let origin = origin(of: job) else { return }
    let gain = checked(dataset.name.text) { try job.gain(of: origin) }
    if let gain, !gain.isEmpty { add(false, dataset.name.text, gain.warning) }
    if job.changes == .log { checkLog(of: origin, job) }
    for plan in job.activePlans {
      let types = TypeGuard(plan, copyPath: WorkingCopy.path(of: plan.series, in: state))
      for table in plan.schema.tables {
        let (projection, series) = (plan.projection(table), "\(plan.series)")
        let rows = checked(series) {
          try plan.prove(table, against: origin)
          return try origin.rowsWithoutKey(table, projection)
        }
        guard let count = rows else { continue }
        for drift in checked(series, { try origin.drift(table, projection, types) }) ?? [] {
          add(true, series, drift)
        }
        if count > 0 { add(true, series, Self.nullKey(count, table, plan.newest)) }
      }
    }
  }

  /// A missing or incomplete log is only a warning, because steps then compare all rows, which merely takes longer.
  private mutating func checkLog(of origin: any Origin, _ job: DatasetJob) {
    let warning = checked(job.name.text) { try logWarning(gaps: origin.log()?.gaps) }
    if let warning = warning ?? nil { add(false, job.name.text, warning) }
    for plan in job.activePlans { addVolatileTables(plan, origin) }
  }

  private mutating func addVolatileTables(_ plan: SeriesPlan, _ origin: any Origin) {
    let volatile = checked("\(plan.series)") { try origin.volatileTables(plan) } ?? [:]
    for table in plan.schema.tables.sorted(by: { $0.name < $1.name }) {
      // A table that cannot be read is reported as an error elsewhere.
      guard let reason = volatile[table.name], (try? plan.prove(table, against: origin)) != nil else {
        continue
      }
      add(
        false, "\(plan.series)",
        "each step reads all rows of \"\(table.name)\", because they may change without a write: \(reason)")
    }
  }

  /// A check does not start a feed's program; it checks only files fetched earlier.
  private mutating func origin(of job: DatasetJob) -> (any Origin)? {
    checked(job.name.text) {
      do {
        return try job.readyOrigin()
      } catch OriginError.notLoaded { return nil }
    } ?? nil
  }

  private static func nullKey(_ count: Int, _ table: TableSchema, _ model: ModelDefinition) -> String {
    let key = table.keyNames.map(quoted).joined(separator: ", ")
    let columns = table.columnNames.map(quoted).joined(separator: ", ")
    let condition = table.keyNames.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    let select = "\(model.path)/\(table.name).sql"
    let remedy =
      model.projections[table.name] != nil
      ? "change \(select) so that it does not select such rows"
      : "give them values, or leave them out: put SELECT \(columns) FROM \(quoted(table.name)) WHERE \(condition) in "
        + "\(select); a new major ('seedbank model new MAJOR.0') may have a different key"
    return
      "table \"\(table.name)\": \(count) \(count == 1 ? "row has" : "rows have") NULL in the key \(key), and clients "
      + "cannot store such rows: \(remedy)"
  }
}

/// A published, unretired series whose models are gone from the configuration.
package struct AbandonedSeries: Sendable {
  package let series: SeedSeries
  private let head: SeedVersion

  /// `known` contains every series that has a model.
  package static func all(in published: PublishedMetadata, besides known: Set<SeedSeries>) -> [Self] {
    published.series.values.map(\.metadata)
      .filter { !known.contains($0.series) && !$0.state.lifecycle.isRetired }
      .map { Self(series: $0.series, head: $0.state.head) }.sorted { $0.series < $1.series }
  }

  var problem: String {
    "published at version \(head), but none of its model folders is left, so its clients get no updates: "
      + "put models/\(series.major).* back; or, to end the series, publish once with \"lifecycle\": "
      + "{\"\(series.major)\": {\"state\": \"retired\"}} in \(series.dataset)/\(DeploymentNames.datasetFile)"
  }

  package var warning: String { "\(series): \(problem)" }
}
