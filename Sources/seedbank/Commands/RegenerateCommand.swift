import SeedServer
import SeedTrust

extension Command {
  static let regenerate = Command(
    definition: CommandDefinition(
      name: "regenerate",
      abstract: "Publish the changes of the origins, once.",
      discussion: """
        Runs one publish step for each dataset; meant for a timer. An unchanged origin costs little and publishes \
        nothing. Only one process publishes at a time; a second one exits with 75. A table that lost more rows than \
        'shrink' allows holds its dataset back (65) until --accept-shrink.

        Every dataset is tried, even after another one failed; the exit code is that of the first failure.

        A series that 'rollback' holds stays as it is, with its signatures renewed, and the exit code is 65 \
        until --resume.

        Root and targets metadata is renewed well before it expires if the keys are here. Otherwise there are warnings \
        in the last \(RepositorySigner.warningDays) days, and the exit code is 78 once clients reject the publication.
        """,
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset (default: all)."),
        .flag("snapshot", help: "Publish a snapshot of the newest version, whatever the schedule says."),
        .flag("accept-shrink", help: "Publish even if tables lost more rows than 'shrink' allows."),
        .flag("resume", help: "Resume publishing series that a rollback holds."),
        .flag(
          "trust-clock",
          help:
            "Sign anew, with a shorter expiry, what was signed while the clock was ahead. This clock must be right."
        ),
        .flag("dry-run", help: "Show what would be published, and change nothing."),
        .json,
      ] + OptionDefinition.log,
      examples: [
        CommandExample("seedbank regenerate", "Publish the changes of every dataset."),
        CommandExample("seedbank regenerate --dry-run", "Show what would be published, table by table."),
        CommandExample(
          "seedbank regenerate --dataset transit --snapshot --json",
          "Publish one dataset with a snapshot, for a script."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    let deployment = try Deployment(configuration, context)
    var regeneration = Regeneration(deployment, arguments, context.console)
    try regeneration.run(try configuration.datasets(chosenBy: arguments))
  }
}
