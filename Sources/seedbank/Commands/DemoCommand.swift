import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem

extension Command {
  static let demo = Command(
    name: "demo", abstract: "Make a deployment with invented transit data.",
    discussion: """
      Makes an origin the size of a large city's network (\(DemoOrigin.stops) stops, \(DemoOrigin.callsPerTrip) stop times in \
      each trip), and a deployment with two series: model 1.0 for old apps, 2.0 and 2.1 for new ones. The same \
      options always make the same data.
      """,
    options: [
      .directory, .value("trips", "count", help: "The number of trips (default: \(DemoOrigin.usualTrips))."),
      .json, .dryRun,
    ],
    examples: [
      ("seedbank demo --directory demo", "Make the folder 'demo' with everything in it."),
      ("seedbank demo --trips 160000", "With 3.2 million stop times, as in a real city."),
    ]
  ) { arguments, context in try await SignalCleanup.staging { try make(arguments, context) } }

  private static func make(_ arguments: ParsedArguments, _ context: Context) throws {
    let directory = try context.setupDirectory(arguments)
    let dataset = DemoDeployment.dataset(in: directory)
    let draft = DeploymentDraft(dataset, in: directory)
    let trips = try arguments.integer("trips", in: DemoOrigin.tripCounts) ?? DemoOrigin.usualTrips
    let plans = try dataset.plans()
    // The origin is moved into place with the deployment.
    let installer = DeploymentInstaller(draft, extraEntries: [DemoOrigin.fileName]) { staging in
      let origin = DemoDeployment.origin(in: staging)
      try DemoOrigin.write(trips: trips, to: origin)
      for plan in plans { try plan.prove(against: SQLiteOrigin(origin)) }
    }
    try installer.checkRoom()
    let isDryRun = arguments.flag("dry-run")
    if !isDryRun {
      context.console.progress("Making \(trips) trips…")
      try installer.install(delegating: plans.map(\.series))
    }
    let report = SetupReport(
      draft, origin: DemoDeployment.origin(in: directory), isOriginMade: true, keyCount: installer.keyCount,
      isDryRun: isDryRun, isFoundByItself: context.finds(draft.file))
    try context.console.report(report.json, report.text)
  }
}

enum DemoDeployment {
  static func dataset(in directory: String) -> DatasetConfiguration {
    var dataset = DatasetConfiguration(drafting: "transit", of: origin(in: directory), in: directory, models)
    dataset.policy.provenance = Provenance(
      license: "CC0-1.0", attribution: "Invented demo data; no timetable of any operator", source: source)
    return dataset
  }

  private static let source = "Made by 'seedbank demo'"

  /// Whether `seedbank demo` made the dataset. Only then may `run --demo` change its origin.
  static func hasMade(_ dataset: DatasetConfiguration?) -> Bool {
    dataset?.policy.provenance.source == source
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
