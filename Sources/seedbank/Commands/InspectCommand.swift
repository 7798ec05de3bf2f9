import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTemplate
import SeedTrust

extension Command {
  static let inspect = Command(
    name: "inspect", abstract: "Show the content of a seed, a delta or metadata.",
    discussion: """
      FILE is a snapshot or a delta, compressed or not, a metadata file, or a store of Core Data. A seed's digest is \
      recomputed from its rows. Signatures are not verified: 'verify' and 'pull' do that.
      """,
    arguments: [.argument("file", help: "The file to look at.")],
    options: [.json],
    examples: [
      ("seedbank inspect seed.sqlite", "Versions, tables and rows of a seed."),
      ("seedbank inspect delta-4-5.json.gz --json", "A delta's header and counts."),
    ]
  ) { arguments, context in
    let path = try arguments.requiredPath("file", from: context.currentDirectory)
    let findings = try inspected(path)
    try context.console.report(
      .object(findings),
      findings.map { "\($0.name): \($0.value.words)" }.joined(separator: "\n"))
  }
}

/// The contents of a publication's or store's file.
private func inspected(_ path: String) throws -> [JSONMember] {
  let file = JSONMember("file", .string(path))
  let kind = try FileKind(path)
  guard let encoding = kind.encoding else { return [file] + (try members(path, kind)) }
  let scratch = try ScratchFolder()
  defer { scratch.remove() }
  let inner = scratch.file("expanded")
  let raw = try Compression.expand(path, to: inner, encoding, limit: .max)
  let innerKind = try FileKind(inner)
  guard innerKind.encoding == nil else {
    throw CommandFailure(.badData, "\(path.printable) is compressed twice: expected a seed or a delta in it.")
  }
  let facts: [JSONMember] = .init(
    ("encoding", .string(encoding.rawValue)), ("rawLength", JSONValue(raw.length)),
    ("rawSHA256", .string(raw.sha256.hex)))
  return [file] + facts + (try members(inner, innerKind))
}

private func members(_ path: String, _ kind: FileKind) throws -> [JSONMember] {
  guard kind == .database, StoreFile.isStore(path) else { return try kind.members(path) }
  return try TemplateReport(Template(reading: path), path).summary.filter { $0.name != "file" }
}

extension JSONValue {
  /// A line for people: `shop (delete 1, upsert 2), street (delete 0, upsert 4)`.
  fileprivate var words: String {
    if let members { return members.map { "\($0.name) \($0.value.nestedWords)" }.joined(separator: ", ") }
    if let elements { return elements.map(\.nestedWords).joined(separator: ", ") }
    return string ?? text
  }

  private var nestedWords: String { members == nil && elements == nil ? words : "(\(words))" }
}

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
      .value("to", "file", actions: ["extract"], help: "The file to write."), .json,
    ],
    examples: [
      ("seedbank template check App.store", "Check if the store can be a template."),
      ("seedbank template describe App.store --json", "Entities, properties, tables and columns."),
      ("seedbank template extract App.store --to template.sqlite", "A copy in one file."),
    ]
  ) { arguments, context in
    let action = TemplateAction(rawValue: arguments.required("action")) ?? .check
    let path = try arguments.requiredPath("store", from: context.currentDirectory)
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
    try Paths.requireNew(destination)
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
