import SeedDatabase
package import SeedFormat
package import SeedPublication
package import SeedPublisher
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// A temporary origin, publication and publisher, with their own keys.
package final class TestDeployment {
  package let folder: TemporaryFolder
  package let publication: PublicationDirectory
  package var publisher: Publisher
  package let keys: KeyRing
  /// The time of the next step, which takes one second.
  package var clock = UTCTime.now()
  package var job: DatasetJob

  package init(_ models: [ModelDefinition], dataset: DatasetName = "test", in folder: TemporaryFolder) throws
  {
    self.folder = folder
    publication = PublicationDirectory(folder("publication"))
    keys = KeyRing(Dictionary(uniqueKeysWithValues: KeyRole.allCases.map { ($0, [.generate()]) }))
    job = DatasetJob(
      name: dataset, origin: SQLitePlace(folder("origin.sqlite")),
      plans: try SeriesPlan.plans(dataset, models))
    let founding = try RepositorySigner(now: clock).create(delegating: job.plans.map(\.series), keys: keys)
    try publication.write(founding.files)
    publisher = Publisher(
      publication, stateFolder: folder("state"), keys: KeySource(keys))
  }

  package var originPath: String { folder("origin.sqlite") }

  package func step(forcingSnapshot: Bool = false) throws -> StepReport {
    clock = clock.adding(seconds: 1)
    return try publisher.step(job, StepOptions(forcingSnapshot: forcingSnapshot), now: clock)
  }

  package func metadata(major: Int = 1) throws -> SeriesMetadata {
    let series = try SeedSeries(job.name, major: major)
    guard let found = try publication.published().series[series] else {
      throw NotASeed("\(series) is not published")
    }
    return found.metadata
  }

  package func expand(_ object: PublishedObject, to name: String) throws -> String {
    let path = folder(name)
    _ = try Compression.expand(publication.file(object), to: path, .gzip, limit: object.rawLength)
    return path
  }

  /// Runs SQL on the origin in a separate connection.
  package func origin(_ sql: String) throws {
    try Connection(originPath, .creator).execute(sql)
  }
}

extension Publisher {
  /// A step that returns its report.
  @discardableResult
  package func step(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), half: Half? = nil, now: UTCTime
  ) throws -> StepReport {
    var report = StepReport()
    try step(job, options, half: half, now: now, &report)
    return report
  }
}

package func model(
  _ version: ModelVersion, _ schema: String, projections: [String: String] = [:]
) -> ModelDefinition {
  ModelDefinition(
    version: version, schemaSQL: schema, projections: projections, path: "models/\(version)")
}
