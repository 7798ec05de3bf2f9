import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let prune = Command(
    name: "prune", abstract: "Remove published files that no metadata names any more.",
    discussion: """
      A file stays for the datasets' longest grace period after metadata last named it, because clients may be \
      fetching it. Every publish step prunes too; this command is for a publication that gets no more steps.
      """,
    options: [.config, .dryRun, .json],
    examples: [("seedbank prune --dry-run", "Show the files that would be removed now and later.")]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let deployment = try Deployment(configuration, context)
    let grace = configuration.datasets.map(\.policy.graceSeconds).max() ?? 0
    let isDryRun = arguments.flag("dry-run")
    let (removed, waiting) = try deployment.publisher.prune(
      graceSeconds: grace, now: .now(), isDryRun: isDryRun)
    let rest = waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.adding(seconds: grace)) }
    let verb = isDryRun ? "would remove" : "removed"
    let lines =
      removed.map { "\(verb) \($0)" } + rest.map { "stays until \($0.1): \($0.0)" }
      + ["\(verb) \(removed.count) files, \(rest.count) stay"]
    try context.console.report(
      [
        "dryRun": .bool(isDryRun), "removed": JSONValue(strings: removed),
        "waiting": .array(rest.map { ["path": .string($0.0), "until": .string($0.1.text)] }),
      ], lines.joined(separator: "\n"))
  }
}
