import SeedFormat

/// The deployment around the demo's origin: two majors, and a minor that adds to the second.
enum DemoDeployment {
  static func draft(in directory: String) -> DeploymentDraft {
    DeploymentDraft(
      "transit", origin: origin(in: directory), directory: directory, models: models
    ).describing(
      license: "CC0-1.0",
      attribution: "Invented demo data; no timetable of any operator",
      source: "Made by 'seedbank demo'")
  }

  static func origin(in directory: String) -> String { Paths.absolute(DemoOrigin.fileName, from: directory) }

  // Model 1.0 has fewer columns than the origin, under other names, so each table needs a projection. The origin has no
  // column for 2.1's dwell time.
  static let models = [
    ModelDraft(
      version: "1.0", schemaSQL: text(PackageResources.model_1_0_sql),
      projections: [
        "station": text(PackageResources.stations_sql), "route": text(PackageResources.routes_sql),
      ]),
    ModelDraft(version: "2.0", schemaSQL: text(PackageResources.model_2_0_sql)),
    ModelDraft(
      version: "2.1", schemaSQL: text(PackageResources.model_2_1_sql),
      projections: ["stop_time": text(PackageResources.stop_times_sql)]),
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
