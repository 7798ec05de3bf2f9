import SeedFormat

/// The deployment around the demo's origin, which lies in its directory.
enum DemoDeployment {
  static func draft(in directory: String) -> DeploymentDraft {
    DeploymentDraft(
      "transit", origin: origin(in: directory), directory: directory, models: DemoModels.all
    ).describing(
      license: "CC0-1.0",
      attribution: "Invented demo data; no timetable of any operator",
      source: "Made by 'seedbank demo'")
  }

  static func origin(in directory: String) -> String { Paths.absolute(DemoOrigin.fileName, from: directory) }
}
