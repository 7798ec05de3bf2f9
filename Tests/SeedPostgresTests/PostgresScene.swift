import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import Support
import Testing

/// A deployment whose origin is a new database on a real server.
struct PostgresScene {
  static let twentyRows = """
    CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t SELECT i, 'n' || i FROM generate_series(1, 20) i
    """
  static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"

  let database: PostgresDatabase
  let deployment: TestDeployment

  init(
    _ sql: String, _ schema: String, projections: [String: String] = [:], user: String = "postgres",
    schemaName: String = "public", options: String = "", cluster: PostgresCluster? = nil
  ) throws {
    try self.init(
      (cluster ?? PostgresCluster.shared.get()).database(sql, options: options), schema,
      projections: projections, user: user, schemaName: schemaName)
  }

  init(
    _ database: PostgresDatabase, _ schema: String, projections: [String: String] = [:],
    user: String = "postgres", schemaName: String = "public"
  ) throws {
    self.database = database
    let models = [model("1.0", schema, projections: projections)]
    deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
    place = PostgresPlace(
      url: database.url(user: user), shownURL: "postgres://host/\(database.name)",
      schema: schemaName)
  }

  var place: PostgresPlace {
    didSet { follow() }
  }

  private func follow() {
    deployment.job = DatasetJob(
      name: deployment.job.name, origin: place, plans: deployment.job.plans, policy: deployment.job.policy)
  }

  @discardableResult
  func step() throws -> SeriesReport {
    follow()
    return try deployment.step().series[0]
  }

  func fullStep() throws -> StepReport {
    follow()
    return try deployment.step()
  }

  /// The rows of a table on a client at head, in key order.
  func published(_ table: String = "t") throws -> [[SeedValue]] {
    let path = deployment.folder("state/test-1.sqlite")
    let schema = try #require(deployment.job.plans[0].schema.table(table))
    return try Connection(path, .reader).rows(TableSQL(schema).allInKeyOrder)
  }

  func refusal() -> any OriginFailure {
    do {
      let report = try step()
      return NoFailure(description: "\(report.outcome)")
    } catch let error as any OriginFailure {
      return error
    } catch { return NoFailure(description: "\(error)") }
  }

  var hasPublishedNothing: Bool { (try? deployment.metadata()) == nil }
}

/// The step succeeded or failed for another reason.
private struct NoFailure: OriginFailure {
  let description: String
  var isUnavailable: Bool { false }
  var isConfiguration: Bool { false }
}

extension PostgresDatabase {
  func place(user: String = "postgres") -> PostgresPlace {
    PostgresPlace(url: url(user: user), shownURL: "postgres://host/x", schema: "public")
  }
}
