extension Command {
  /// Every subcommand, in the order of the help page.
  static let all: [Command] = [
    .initialize,
    .demo,
    .run,
    .regenerate,
    .serve,
    .status,
    .verify,
    .diff,
    .rollback,
    .newEpoch,
    .prune,
    .inspect,
    .importing,
    .config,
    .keys,
    .help,
    .pull,
    .doctor,
    .version,
  ]
}
