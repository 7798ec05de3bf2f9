import SeedDatabase
import SeedFormat
import SeedImport
import SeedPublication
import SeedSystem

extension Command {
  static let importing = Command(
    name: "import", abstract: "Import JSON or CSV into a database.",
    discussion: """
      FILE is JSON, NDJSON or CSV, optionally compressed with gzip; - is standard input. Several files are imported together, so \
      their rows may reference each other. A folder means all such files in it, sorted by name. Rows are matched by the \
      table's key: new rows are inserted, changed ones updated, equal ones not written. A missing member leaves \
      its column unchanged. The import is one transaction: a failure leaves the database unchanged. The table must \
      exist. FTS5 tables whose content is the imported table are rebuilt; other search tables are not.

      An import runs no triggers. If a table has triggers, you must add --ignore-triggers. Ctrl-C ends the import and reports which rows are kept.

      The first record of a CSV names the fields, unless --header does. An empty field is NULL, unless it has \
      quotation marks or its column is TEXT NOT NULL: then it is an empty string.

      Exit codes: 64 a wrong command line, 65 bad data, 74 a file cannot be read or written, 75 the database is in use, \
      78 a bad mapping or schema.
      """,
    arguments: [.argument("file", isRepeatable: true, help: "Files to import together, or their folders.")],
    options: [
      .value("database", "path", isRequired: true, help: "The SQLite database."),
      .value("table", "name", help: "The table; not needed with a mapping."),
      .value("mapping", "path", help: "A JSON file that maps members to columns."),
      .value(
        "format", "name", choices: ImportJob.Format.allCases.map(\.rawValue),
        help: "json, ndjson or csv (default: from the file's name)."),
      .value("delimiter", "character", help: "The delimiter of CSV fields: , (default), ;, | or tab."),
      .value("header", "names", help: "The fields of CSV without a header, such as id,name."),
      .value(
        "empty", "rule", choices: CSVFormat.EmptyFields.allCases.map(\.rawValue),
        help: "Empty CSV fields: quotes (default: NULL unless quoted), null, text, or auto (NULL if allowed)."
      ),
      .value("rows", "json-path", help: "The path of the rows, such as $.data.items."),
      .value(
        "on-conflict", "rule", choices: ImportPolicy.Conflict.allCases.map(\.rawValue),
        help: "Existing rows: overwrite (default), keep or fail."),
      .value("bad-rows", "rule", choices: ["abort", "skip"], help: "Bad rows: abort (default) or skip."),
      .value(
        "references", "rule", choices: ImportPolicy.References.allCases.map(\.rawValue),
        help: "Missing referenced rows: fail (default, even with --bad-rows), null, or keep (and warn)."),
      .flag(
        "accept-shrink",
        help:
          "Delete rows that the files lack, even all rows of a table, or over half of the rows of a table with 100 or more."
      ),
      .value(
        "rejects", "path",
        help: "Write rejected rows with their issues to this file as NDJSON, even if the import fails."),
      .value(
        "batch", "rows", help: "Commit after this many rows. To resume an interrupted import, run it again."),
      .flag("ignore-triggers", help: "Import into tables with triggers without running them."),
      .dryRun, .json,
    ],
    examples: [
      (
        "seedbank import stops.json --database app.sqlite --table stop \\\n"
          + "      --rows $.data",
        "Import the objects of an array."
      ),
      (
        "seedbank import - --database app.sqlite --table stop \\\n"
          + "      --format csv --dry-run",
        "Show the changes from standard input."
      ),
    ]
  ) { arguments, context in
    let console = context.console
    let job = try ImportJob(arguments, context)
    let report = try await interruptible(job)
    warn(report.missing, of: report.missing.count, rest: "more members that no row has", console)
    if console.isJSON { return try console.result(report.json) }
    warn(report.issues, of: report.issueCount, rest: "more", console)
    try show(report, job, console)
  }

  /// After a signal, the import is rolled back, and the process ends as the signal would have ended it.
  private static func interruptible(_ job: ImportJob) async throws -> ImportReport {
    let signals = try StopSignals()
    let watch = Task {
      guard let number = await signals.first() else { return }
      StopSignals.beginCleanup(after: number)
      job.interrupt.interrupt()
    }
    defer { watch.cancel() }
    return try await blocking { try job.run() }
  }

  private static func warn(
    _ problems: [some CustomStringConvertible], of count: Int, rest: String, _ console: Console
  ) {
    let shown = problems.prefix(shownIssues)
    for problem in shown { console.warning("\(problem)".closed) }
    if count > shown.count { console.warning("\(count - shown.count) \(rest).") }
  }

  private static func show(_ report: ImportReport, _ job: ImportJob, _ console: Console) throws {
    for (name, table) in report.tables.sorted(by: { $0.key < $1.key }) {
      try console.result("\(name): \(table.counts.map { "\($1) \($0)" }.joined(separator: ", "))")
    }
    let (unmatched, were) = (report.unmatchedRows, report.unmatchedRows == 1 ? "was" : "were")
    if unmatched > 0 {
      console.note("\(unmatched.counted("row")) matched no list's 'where', and \(were) skipped.")
    }
    if job.isDryRun { console.note("Nothing was changed: this was a dry run.") }
  }

  private static let shownIssues = 10
}

extension ImportJob {
  fileprivate init(_ arguments: ParsedArguments, _ context: Context) throws {
    let plan = try ImportFormats(arguments, context)
    (inputs, mapping, mappingPath) = (plan.inputs, plan.mapping, plan.mappingPath)
    database = try arguments.requiredPath("database")
    rejects = try arguments.path("rejects")
    isDryRun = arguments.flag("dry-run")
    console = context.console
    var policy = ImportPolicy(onConflict: arguments.choice("on-conflict") ?? .overwrite)
    policy.badRows = arguments.string("bad-rows") == "skip" ? .collect : .abort
    policy.references = arguments.choice("references") ?? .fail
    policy.acceptsShrink = arguments.flag("accept-shrink")
    policy.ignoresTriggers = arguments.flag("ignore-triggers")
    if let rows = try arguments.integer("batch", in: 1...Int.max) { policy.atomicity = .batched(rows: rows) }
    self.policy = policy
  }
}

extension ParsedArguments {
  func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
    string(name).flatMap { Choice(rawValue: $0) }
  }
}
