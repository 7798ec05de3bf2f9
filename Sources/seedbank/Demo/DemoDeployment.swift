import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem

enum DemoDeployment {
  static func dataset(in directory: String) -> DatasetConfiguration {
    var dataset = DatasetConfiguration(
      drafting: "transit", of: origin(in: directory), in: directory, models)
    dataset.policy.provenance = Provenance(
      license: "CC0-1.0", attribution: "Invented demo data; no timetable of any operator",
      source: "Made by 'seedbank demo'")
    return dataset
  }

  static func origin(in directory: String) -> String { Paths.absolute(DemoOrigin.fileName, from: directory) }

  // Model 1.0 has fewer columns, under other names. The origin has no column for 2.1's dwell time.
  static let models = [
    model(
      "1.0", PackageResources.model_1_0_sql,
      ["station": PackageResources.stations_sql, "route": PackageResources.routes_sql]),
    model("2.0", PackageResources.model_2_0_sql),
    model("2.1", PackageResources.model_2_1_sql, ["stop_time": PackageResources.stop_times_sql]),
  ]

  private static func model(
    _ version: ModelVersion, _ schema: [UInt8], _ projections: [String: [UInt8]] = [:]
  ) -> ModelDefinition {
    ModelDefinition(
      version: version, schemaSQL: String(decoding: schema, as: UTF8.self),
      projections: projections.mapValues { String(decoding: $0, as: UTF8.self) }, path: "")
  }
}
