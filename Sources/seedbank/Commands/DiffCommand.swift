import SeedDatabase
import SeedFormat
import SeedServer

extension Command {
  static let diff = Command(
    definition: CommandDefinition(
      name: "diff",
      abstract: "Compare two snapshots, or two versions of a series.",
      discussion: """
        Two numbers are versions of a published series, made out of the publication; anything else is a \
        file, gzip, xz or not by its content. Rows are compared by the table's key, in its order.

        With --rows each row that differs is a line: + is new, - is gone, ~ is changed, with old → new for each \
        column. With --json every line is an object; the last one is the summary.
        """,
      arguments: [
        ArgumentDefinition(name: "old", help: "A file or a version."),
        ArgumentDefinition(name: "new", help: "A file or a version."),
      ],
      options: [
        .config,
        .value("dataset", "name", help: "The versions' dataset (default: the only one)."),
        .value("series", "major", help: "The versions' series (default: the only one)."),
        .flag("rows", help: "Show the rows that differ."),
        .value("limit", "count", help: "Show at most so many rows; all are counted."),
        .json,
      ],
      examples: [
        CommandExample("seedbank diff 41 42 --rows --limit 20", "What version 42 changed."),
        CommandExample("seedbank diff old.sqlite new.sqlite.gz --json", "Two files, for a script."),
      ])
  ) { arguments, context in
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let limit = try arguments.integer("limit", in: 0...Int.max) ?? .max
    guard arguments.flag("rows") || arguments.string("limit") == nil else {
      throw arguments.unsuitable("limit", "no --rows", "--rows beside it")
    }
    let sides = try DiffSides(arguments, context)
    let printer = DiffPrinter(
      limit: arguments.flag("rows") ? limit : 0, asJSON: arguments.flag("json"), context.console)
    try await blocking {
      let (old, new) = try sides.open(in: scratch)
      let tables = try SeedComparison(old: old, new: new).run { try printer.tell($0) }
      try printer.summarise(tables, sides)
    }
  }
}

/// What is to be compared.
struct DiffSides: Sendable {
  let old: String
  let new: String
  /// Where the two are versions.
  private let recall: SeriesRecall?

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    let words = [arguments.required("old"), arguments.required("new")]
    guard words.contains(where: { canonicalDecimal($0, in: 1...Int(Limits.exactJSONInteger)) == nil }) else {
      let series = try SeriesChoice(arguments, try context.configuration(arguments))
      recall = SeriesRecall(series.publication, try series.published())
      (old, new) = (words[0], words[1])
      return
    }
    recall = nil
    old = try arguments.path("old", from: context.currentDirectory) ?? ""
    new = try arguments.path("new", from: context.currentDirectory) ?? ""
  }

  func open(in scratch: ScratchFolder) throws -> (old: Connection, new: Connection) {
    (try open(old, scratch.file("old.sqlite")), try open(new, scratch.file("new.sqlite")))
  }

  private func open(_ name: String, _ file: String) throws -> Connection {
    if let recall { return try recall.recall(try Version(name), to: file).connection }
    let kind = try FileKind(name)
    guard let encoding = kind.encoding else { return try database(kind, name, name) }
    _ = try Compression.expand(name, to: file, encoding, limit: .max)
    return try database(try FileKind(file), file, name)
  }

  private func database(_ kind: FileKind, _ file: String, _ name: String) throws -> Connection {
    guard case .database = kind else {
      throw CommandFailure(.badData, "\(name.printable) holds no database: expected a snapshot.")
    }
    return try Connection(file, .reader)
  }
}
