import SeedFormat
import SeedPublication
import SeedSystem

extension Command {
  static let mirror = Command(
    name: "mirror", abstract: "Check, fill and show the mirrors of the publication.",
    discussion: """
      'run' and 'regenerate' bring the mirrors of the configuration up to date after each step. 'check' asks each of them whether \
      it can be read and written and honours the conditions that keep two publishers apart, with a small file that it removes; \
      after 78, follow the message. 'push' brings them up to date now, looks at all their files, and fills one that was emptied. \
      'status' shows their state.

      Exit codes: 69 a mirror does not answer, 75 another publisher is ahead or at work, 78 a mirror rejects a needed operation.
      """,
    arguments: [
      .argument("action", choices: MirrorAction.allCases.map(\.rawValue), help: "What to do.")
    ],
    options: [
      .config,
      .flag(
        "replace",
        help:
          "Replace the metadata of an attempt that was lost ('push'). No other publisher may run."
      ),
      .json,
    ],
    examples: [
      ("seedbank mirror check", "Whether each mirror can be used."),
      ("seedbank mirror push", "Fill a new mirror, or one that was emptied."),
    ]
  ) { arguments, context in
    let action = MirrorAction(rawValue: arguments.required("action")) ?? .check
    if action == .check, arguments.flag("replace") {
      throw arguments.unsuitable("replace", "check", "mirror push")
    }
    let configuration = try context.configuration(arguments)
    guard !configuration.mirrors.isEmpty else {
      throw CommandFailure(
        .configuration,
        "\(configuration.file.printable): it names no mirrors: the article on mirrors shows how.")
    }
    try MirrorWork(action, configuration, arguments, context).run()
  }
}

private enum MirrorAction: String, CaseIterable { case check, push }

/// Processes each mirror; an error of one does not stop the others.
private struct MirrorWork {
  let action: MirrorAction
  let mirrors: [Mirror]
  let publication: PublicationDirectory
  let console: Console

  init(
    _ action: MirrorAction, _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments,
    _ context: Context
  ) {
    (self.action, console) = (action, context.console)
    publication = PublicationDirectory(configuration.publication)
    mirrors = configuration.openMirrors(context.environment).map { mirror in
      var mirror = mirror
      mirror.options.isByHand = true
      mirror.options.replaces = arguments.flag("replace")
      return mirror
    }
  }

  func run() throws {
    var failures: [FailureReport] = []
    for mirror in mirrors {
      let result = Result { try work(mirror) }
      switch result {
      case .success(let words):
        try console.report(
          ["mirror": .string(mirror.place), "result": .string(words)], "\(mirror.place): \(words)")
      case .failure(let error):
        let report = FailureReport(error)
        failures.append(report)
        if console.isJSON {
          try console.result(["mirror": .string(mirror.place), "error": report.json] as JSONValue)
        }
      }
    }
    for failure in failures.dropFirst() { console.error(failure.message) }
    if let first = failures.first { throw CommandFailure(first.exitCode, first.message, isInResult: true) }
  }

  private func work(_ mirror: Mirror) throws -> String {
    switch action {
    case .push: return try mirror.bringUpToDate(publication, now: .now()).words
    case .check:
      try mirror.compare(publication)
      return try mirror.check()
    }
  }
}
