/// A subcommand: its table and what it does.
struct Command: Sendable {
  let definition: CommandDefinition
  /// Throws what ErrorMapping.swift turns into an exit code.
  let run: @Sendable (ParsedArguments, Context) async throws -> Void
}

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
