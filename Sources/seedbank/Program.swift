import SeedFormat

/// The way from arguments to an exit code.
enum Program {
  /// Parses, runs and reports. Concurrent, so that no command inherits the main actor from main.swift.
  @concurrent static func run(_ arguments: [String], in context: Context) async -> ExitCode {
    var asJSON = false
    do {
      let invocation = try Invocation(arguments, among: Command.all)
      asJSON = invocation.asksForJSON
      try await perform(invocation, in: context)
      return .success
    } catch {
      // Whoever lost its files to a signal does not report that as a failure.
      Interruption.end()
      let report = FailureReport(error)
      // Where stdout itself fails, the exit code and the message are left.
      if asJSON, !report.isInResult { try? context.console.result(["error": report.json] as JSONValue) }
      context.console.error(report.message)
      return report.exitCode
    }
  }

  private static func perform(_ invocation: Invocation, in context: Context) async throws {
    switch invocation {
    case .overview: try context.console.result(HelpText.overview(of: Command.all))
    case .help(let definition): try context.console.result(HelpText.page(for: definition))
    case .run(let command, let arguments): try await command.run(arguments, context)
    }
  }
}
