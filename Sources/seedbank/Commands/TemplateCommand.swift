import SeedFormat
import SeedSystem
import SeedTemplate

extension Command {
  static let template = Command(
    name: "template", abstract: "Read an empty store of Core Data or SwiftData.",
    discussion: """
      STORE is an empty store that the app made once, with its model inside. 'check' reports whether the model explains \
      each of its tables and columns, and whether it is empty; 'describe' prints the model and the column of each property; 'extract' \
      copies the store to one file without a log, for a model folder. Unexplained parts are rejected by \
      name. Experimental: seeds of such stores cannot be published yet.
      """,
    arguments: [
      .argument("action", choices: TemplateAction.allCases.map(\.rawValue), help: "What to do."),
      .argument("store", help: "The store's file."),
    ],
    options: [
      .value("to", "file", help: "The file to write ('extract')."), .json,
    ],
    examples: [
      ("seedbank template check App.store", "Check if the store can be a template."),
      ("seedbank template describe App.store --json", "Entities, properties, tables and columns."),
      ("seedbank template extract App.store --to template.sqlite", "A copy in one file."),
    ]
  ) { arguments, context in
    let action = TemplateAction(rawValue: arguments.required("action")) ?? .check
    let path = try arguments.requiredPath("store", from: context.currentDirectory)
    if action != .extract, let to = arguments.string("to") {
      throw arguments.unsuitable("to", to, "template extract")
    }
    let report: TemplateReport
    switch action {
    case .check:
      report = try TemplateReport(Template(reading: path), path)
      try report.template.requireEmpty()
    case .describe: report = try TemplateReport(Template(reading: path), path)
    case .extract:
      report = try TemplateReport(extracted(path, arguments, context), path)
    }
    try context.console.report(
      .object(action == .describe ? report.description : report.summary),
      (action == .describe ? report.lines : report.summaryLines).joined(separator: "\n"))
  }

  private static func extracted(
    _ path: String, _ arguments: ParsedArguments, _ context: Context
  ) throws -> Template {
    guard let to = arguments.string("to") else {
      throw CommandFailure(.usage, "template extract needs --to <file>: the file to write.")
    }
    let destination = Paths.absolute(to, from: context.currentDirectory)
    guard !Folder.exists(destination) else {
      throw CommandFailure(
        .usage, "\(destination.printable) is there already: name another file, or remove it.")
    }
    return try Template.extract(path, to: destination)
  }
}

private enum TemplateAction: String, CaseIterable {
  case check, describe, extract
}

extension TemplateProblem: ReportedError {
  var exitCode: ExitCode { .badData }
  var message: String { "\(place.printable): \(problem.printable); \(remedy.printable)." }
}
