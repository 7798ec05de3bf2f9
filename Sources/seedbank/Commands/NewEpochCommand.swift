import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let newEpoch = Command(
    name: "new-epoch", abstract: "Start all histories over after the publication was lost.",
    discussion: """
      For disasters only: the publication is lost, or the newest backup is older than the clients' data. Every \
      series begins a new history at version 1 with the current rows of its origin, under the root that clients \
      trust, and every client downloads a snapshot. A publication that is too old is continued, a lost one is \
      replaced. It needs root.json and the keys, including the targets key. Holds of a rollback end, and tables may \
      have lost any number of rows. A standby is read although it lacks published rows.
      """,
    options: [
      .config,
      .value(
        "with", "folder", isRepeatable: true, help: "A folder with keys, such as that of the targets key."),
      .flag("yes", help: "Confirm that every client downloads a snapshot."), .json,
    ] + Parameter.log, examples: [("seedbank new-epoch --yes", "Start the histories of all datasets over.")]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    let jobs = try configuration.datasets.map { try DatasetJob($0) }
    guard arguments.flag("yes") else {
      throw CommandFailure(
        .usage,
        "This restarts the histories of \(jobs.map(\.name.text).joined(separator: ", ")), and every client downloads"
          + " a snapshot: confirm it with --yes.")
    }
    let deployment = try Deployment(
      configuration, context, keysIn: arguments.paths("with", from: context.currentDirectory))
    try Mirrors(configuration, deployment.publication, context).check()
    let notices = StepNotices(configuration, context)
    let root = try DurableFile.read(deployment.configuration.rootPath, limit: Limits.metadataBytes)
    try deployment.publisher.beginEpoch(jobs, root: root, now: .now()) { job, report in
      for warning in report.warnings { context.console.warning("\(job.name): \(warning)") }
      try context.console.report(
        report.json(job.name, warnings: report.warnings), report.lines.joined(separator: "\n"))
      notices.tell(report, of: job.name)
    }
    // The new epoch takes over the mirrors, which show the lost state.
    let published = try deployment.publication.published()
    try MirrorInheritance.claim(below: published.timestamp.version, in: configuration.state)
    context.console.note("All histories started over. Check them with 'seedbank verify'.")
  }
}
