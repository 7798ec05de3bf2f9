import SeedFormat
import SeedPublication
import SeedSystem

extension Command {
  static let mirror = Command(
    name: "mirror", abstract: "Check and fill the mirrors of the publication.",
    discussion: """
      'run' and 'regenerate' bring the configured mirrors up to date after each step. 'check' writes a small file to \
      each mirror and removes it again. This tests whether the mirror can be listed, read and written, and honours conditional \
      writes, which keep two publishers from overwriting each other. 'push' brings the mirrors up to date now, checks all their \
      files, and refills a mirror that was emptied. 'seedbank status' shows their state.

      Exit codes: 69 a mirror does not answer, 75 another publisher is ahead or at work, 78 a mirror rejects a needed operation (see the message).
      """,
    arguments: [.argument("action", choices: ["check", "push"], help: "What to do.")],
    options: [
      .config,
      .flag(
        "replace", actions: ["push"],
        help: "Overwrite metadata that this publisher did not write. No other publisher may run."), .json,
    ],
    examples: [
      ("seedbank mirror check", "Test whether each mirror can be used."),
      ("seedbank mirror push", "Fill a new mirror, or an emptied one."),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    guard !configuration.mirrors.isEmpty else {
      throw Refusal(
        .configuration,
        "\(configuration.file.printable): no mirrors are configured. See the article on mirrors.")
    }
    let publication = PublicationDirectory(configuration.publication)
    var failures: [Refusal] = []
    // An error of one mirror does not stop the others.
    for var mirror in configuration.openMirrors(context.environment) {
      (mirror.options.isByHand, mirror.options.replaces) = (true, arguments.flag("replace"))
      switch Result(catching: { try work(arguments.required("action"), mirror, publication) }) {
      case .success(let words):
        try context.console.report(
          ["mirror": .string(mirror.place), "result": .string(words)], "\(mirror.place): \(words)")
      case .failure(let error):
        let report = Refusal(of: error)
        failures.append(report)
        if context.console.isJSON {
          try context.console.result(["mirror": .string(mirror.place), "error": report.json] as JSONValue)
        }
      }
    }
    await Mirrors(configuration, publication, context).updateFacts()
    for failure in failures.dropFirst() { context.console.error(failure.message) }
    if let first = failures.first { throw Refusal(first.exitCode, first.message, isInResult: true) }
  }

  private static func work(
    _ action: String, _ mirror: Mirror, _ publication: PublicationDirectory
  ) throws -> String {
    if action == "push" { return try mirror.bringUpToDate(publication, now: .now()).words }
    try mirror.compare(publication)
    return try mirror.check()
  }
}
