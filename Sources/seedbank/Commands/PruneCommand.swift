import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let prune = Command(
    definition: CommandDefinition(
      name: "prune",
      abstract: "Remove published files that nothing names any more.",
      discussion: """
        A file stays for the datasets' longest grace period after metadata last named it, for clients may be \
        fetching it. Every publish step prunes too; this command is for a publication whose origin rests.
        """,
      options: [.config, .dryRun, .json],
      examples: [CommandExample("seedbank prune --dry-run", "Says what would go, and what goes later.")])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let deployment = try Deployment(configuration, context)
    let grace = configuration.datasets.map(\.retention.graceSeconds).max() ?? 0
    let isDryRun = arguments.flag("dry-run")
    let (removed, waiting) = try deployment.publisher.prune(
      graceSeconds: grace, now: .now(), isDryRun: isDryRun)
    let rest = waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.adding(seconds: grace)) }
    if arguments.flag("json") {
      return try context.console.result(
        [
          "dryRun": .bool(isDryRun), "removed": .array(removed.map { .string($0) }),
          "waiting": .array(rest.map { ["path": .string($0.0), "until": .string($0.1.text)] }),
        ] as JSONValue)
    }
    for path in removed { try context.console.result("\(isDryRun ? "would remove" : "removed") \(path)") }
    for (path, time) in rest { try context.console.result("stays until \(time): \(path)") }
    try context.console.result(
      "\(removed.count) files \(isDryRun ? "would go" : "removed"), \(rest.count) stay")
  }
}
