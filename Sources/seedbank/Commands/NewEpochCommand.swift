import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let newEpoch = Command(
    definition: CommandDefinition(
      name: "new-epoch",
      abstract: "Begin all histories anew, when the publication was lost.",
      discussion: """
        For disasters only: the publication is lost, or the newest backup is older than what clients have seen. Every \
        series begins a new history at version 1 with what its origin holds now, under the root that clients \
        trust, and every client fetches a snapshot. A publication that is too old is taken on, one that is lost \
        is made anew. It needs the keys, the targets key among them, and root.json. Holds of a rollback end, and tables \
        may have lost any number of rows.
        """,
      options: [
        .config,
        .value(
          "with", "folder", isRepeatable: true, help: "A folder with keys, such as that of the targets key."),
        .flag("yes", help: "Do it: every client downloads a snapshot."), .json,
      ] + OptionDefinition.log,
      examples: [CommandExample("seedbank new-epoch --yes", "Begins the histories of all datasets anew.")])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log)
    let jobs = try configuration.datasets.map { try DatasetJob($0) }
    guard arguments.flag("yes") else {
      throw CommandFailure(
        .usage,
        "This begins the histories of \(jobs.map(\.name.text).joined(separator: ", ")) anew, and every client downloads"
          + " a snapshot: say --yes if that is meant.")
    }
    let deployment = try Deployment(
      configuration, context, keysIn: arguments.paths("with", from: context.currentDirectory))
    let root = try DurableFile.read(deployment.rootPath, limit: Limits.metadataBytes)
    try deployment.publisher.beginEpoch(jobs, root: root, now: .now()) { job, report in
      for warning in report.warnings { context.console.warning("\(job.name): \(warning)") }
      if arguments.flag("json") {
        try context.console.result(report.json(job.name, warnings: report.warnings))
      } else {
        for line in report.lines { try context.console.result(line) }
      }
    }
    context.console.note("The histories begin anew; 'seedbank verify' proves them.")
  }
}
