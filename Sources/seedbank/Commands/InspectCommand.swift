import SeedDatabase
import SeedFormat
import SeedTrust

extension Command {
  static let inspect = Command(
    definition: CommandDefinition(
      name: "inspect",
      abstract: "Say what a seed, a delta or metadata contains.",
      discussion: """
        FILE is a snapshot, a delta, compressed or not, or a metadata file, told apart by its content. A seed's \
        digest is recomputed from its rows. Signatures are not verified: that is what 'verify' and 'pull' do.
        """,
      arguments: [ArgumentDefinition(name: "file", help: "The file to look at.")],
      options: [.json],
      examples: [
        CommandExample("seedbank inspect seed.sqlite", "Versions, tables and rows of a seed."),
        CommandExample("seedbank inspect delta-4-5.json.gz --json", "A delta's header and counts."),
      ])
  ) { arguments, context in
    let path = try arguments.path("file", from: context.currentDirectory) ?? ""
    let findings = try inspected(path)
    if arguments.flag("json") {
      try context.console.result(.object(findings))
    } else {
      for finding in findings { try context.console.result("\(finding.name): \(finding.value.plainText)") }
    }
  }
}

extension JSONValue {
  /// Strings without their quotation marks, everything else as JSON.
  var plainText: String { string ?? text }
}
