import SeedPublication
import SeedPublisher
import Support
import Testing

extension TestDeployment {
  /// Changes the origin and publishes it, without the verification of `publish`.
  @discardableResult
  func change(_ sql: String, forcingSnapshot: Bool = false) throws -> SeriesReport {
    try origin(sql)
    return try step(forcingSnapshot: forcingSnapshot).series[0]
  }

  /// Gives the dataset other models, and a job with the usual settings.
  func use(_ models: [ModelDefinition]) throws {
    job = DatasetJob(name: job.name, origin: job.origin, plans: try SeriesPlan.plans(job.name, models))
  }

  /// Expects that metadata stays the same; unreferenced objects may remain.
  func expectNamedUnchanged(_ body: () throws -> Void) throws {
    func metadata() throws -> [String: [UInt8]] {
      try publishedFiles(publication).filter { $0.key.contains("/metadata/") }
    }
    let before = try metadata()
    try body()
    #expect(try metadata() == before)
  }
}
