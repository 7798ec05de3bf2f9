import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

struct PostgresLogScene {
  var scene: PostgresScene
  var database: PostgresDatabase { scene.database }
  var deployment: TestDeployment { scene.deployment }

  /// Sets up the log if steps follow it.
  init(
    _ sql: String, _ schema: String, projections: [String: String] = [:], user: String = "postgres",
    schemaName: String = "public", options: String = "", cluster: PostgresCluster? = nil
  ) throws {
    scene = try PostgresScene(
      sql, schema, projections: projections, user: user, schemaName: schemaName, options: options,
      cluster: cluster)
    deployment.job.shrinkGuard.percent = 100
    deployment.job.policy.changes = .log
    try setUp()
    _ = try scene.step()
    let second = try step()
    #expect(second.foundBy == .because(.first), "\(String(describing: second.foundBy))")
  }

  /// Reads the same database on another server, or another database under the same name, from now on.
  mutating func move(to database: PostgresDatabase) {
    scene.place = PostgresPlace(url: database.url(), shownURL: scene.place.text, schema: scene.place.schema)
  }

  func setUp() throws {
    let setup = try PostgresLogSetup(scene.place)
    try setup.run(try setup.draft(deployment.job.plans).statements)
  }

  func remove() throws {
    let setup = try PostgresLogSetup(scene.place)
    try setup.run(try setup.removal())
  }

  /// Runs a step that must read the origin.
  @discardableResult
  func step() throws -> SeriesReport {
    // A transaction, so that the origin does not look unchanged.
    try scene.database.run("SELECT pg_current_xact_id()")
    return try scene.step()
  }

  /// Runs a step with the log, and expects that a full comparison right after it finds no difference.
  @discardableResult
  func follow(
    _ sql: String, reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> SeriesReport {
    // In the same session as the transaction of `step`.
    try database.run("\(sql);\nSELECT pg_current_xact_id()")
    let report = try scene.step()
    #expect(
      report.foundBy == reason.map { FoundBy(.log, .someTables, reason: $0) } ?? FoundBy(.log), "\(sql)",
      sourceLocation: sourceLocation)
    try audit(sql, sourceLocation: sourceLocation)
    return report
  }

  /// Expects that a step compares everything for this reason and that all rows are equal afterwards.
  func compare(_ reason: LogDoubt, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try step()
    #expect(report.foundBy == .because(reason), sourceLocation: sourceLocation)
    try audit("\(reason)", sourceLocation: sourceLocation)
  }

  func audit(_ place: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws {
    deployment.job.policy.auditSeconds = 0
    defer { deployment.job.policy.auditSeconds = 86_400 }
    let report = try step()
    #expect(
      report.outcome == .unchanged, "\(place): \(report.changes)", sourceLocation: sourceLocation)
    #expect(report.foundBy?.way == .audit, "\(place)", sourceLocation: sourceLocation)
  }
}
