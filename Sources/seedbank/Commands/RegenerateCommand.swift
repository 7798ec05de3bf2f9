import SeedServer
import SeedTrust

extension Command {
  static let regenerate = Command(
    definition: CommandDefinition(
      name: "regenerate",
      abstract: "Publish what changed in the origins, once.",
      discussion: """
        One publish step for each dataset, for a timer to call. An origin that did not change costs little and \
        publishes nothing. Only one publisher changes a publication at a time; a second one exits with 75. Snapshots \
        are compressed while others may publish, and listed when they are ready. A table \
        that lost more rows than 'shrink' allows holds its dataset back (65) until --accept-shrink.

        Every dataset is tried, whatever is wrong with another; the exit code is that of the first that failed.

        A series that 'rollback' holds stays as it is, with its signatures renewed, and the exit code is 65 \
        until --resume.

        Root and targets metadata is signed anew well before it expires, where the keys are here. Without them there are         warnings from \(RepositorySigner.warningDays) days on, and the exit code is 78 once clients refuse what is published.
        """,
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset (default: all)."),
        .flag("snapshot", help: "Publish a snapshot of the newest version, whatever the schedule says."),
        .flag("accept-shrink", help: "Publish though tables lost more rows than 'shrink' allows."),
        .flag("resume", help: "Take up the origin again in series that a rollback holds."),
        .flag(
          "trust-clock",
          help: "Shorten what was signed for too long under a clock that was ahead, for this one is right."),
        .flag("dry-run", help: "Say what would be published; write nothing."),
        .json,
      ] + OptionDefinition.log,
      examples: [
        CommandExample("seedbank regenerate", "Publish what changed in every dataset."),
        CommandExample("seedbank regenerate --dry-run", "What would be published, table by table."),
        CommandExample(
          "seedbank regenerate --dataset transit --snapshot --json", "One dataset, for a script."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log)
    let deployment = try Deployment(configuration, context)
    var regeneration = Regeneration(deployment, arguments, context.console)
    try regeneration.run(try configuration.datasets(chosenBy: arguments))
  }
}
