import SeedDatabase
import SeedFormat
import SeedServer

extension Command {
  static let diff = Command(
    definition: CommandDefinition(
      name: "diff",
      abstract: "Compare two snapshots, or two versions of a series.",
      discussion: """
        Two numbers are versions of a published series, which are rebuilt from the publication. Anything else is a \
        file, compressed with gzip or xz or not compressed. Rows are compared by the table's key, in its order.

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
        .value("limit", "count", help: "Show at most that many rows; all are counted."),
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

/// The two databases to compare.
private struct DiffSides: Sendable {
  let old: String
  let new: String
  /// Nil where the two are files.
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
      throw CommandFailure(
        .badData, "\(name.printable): expected a snapshot, found a file that is not a database.")
    }
    return try Connection(file, .reader)
  }
}

/// Prints differences as they are found.
private final class DiffPrinter: @unchecked Sendable {
  // One comparison uses it, on one thread at a time.
  private var left: Int
  private var hidden = 0
  private let isShowing: Bool
  private let asJSON: Bool
  private let console: Console

  /// Shows at most `limit` rows.
  init(limit: Int, asJSON: Bool, _ console: Console) {
    left = limit
    isShowing = limit > 0
    self.asJSON = asJSON
    self.console = console
  }

  func tell(_ row: RowDifference) throws {
    guard left > 0 else {
      hidden += 1
      return
    }
    left -= 1
    try console.result(asJSON: asJSON, row.json, row.line)
  }

  func summarise(_ tables: [TableComparison], _ sides: DiffSides) throws {
    if asJSON {
      return try console.result(
        [
          "old": .string(sides.old), "new": .string(sides.new), "same": .bool(tables.allSatisfy(\.isSame)),
          "tables": .array(tables.map(\.json)),
        ] as JSONValue)
    }
    if isShowing, hidden > 0 { try console.result("… and \(hidden) more") }
    for table in tables { try console.result(table.line) }
  }
}

extension RowDifference {
  /// The columns that differ; all of them where the row is on one side only.
  private var shown: [Int] {
    guard let old, let new else { return Array(columns.indices) }
    return columns.indices.filter { old[$0] != new[$0] }
  }

  fileprivate var line: String {
    let sign = old == nil ? "+" : new == nil ? "-" : "~"
    let key = zip(table.keyNames, self.key).map { "\($0)=\($1.shown)" }.joined(separator: " ")
    let isKey = Set(table.keyNames)
    let values = shown.filter { !isKey.contains(columns[$0]) || (old != nil && new != nil) }.map { index in
      let sides = [old, new].compactMap { $0?[index].shown }
      return "\(columns[index]): \(sides.joined(separator: " → "))"
    }
    return "\(sign) \(table.name) \(key)" + (values.isEmpty ? "" : "  \(values.joined(separator: ", "))")
  }

  fileprivate var json: JSONValue {
    [
      "table": .string(table.name), "key": object(table.keyNames, key),
      "old": old.map { row in object(shown.map { columns[$0] }, shown.map { row[$0] }) } ?? .null,
      "new": new.map { row in object(shown.map { columns[$0] }, shown.map { row[$0] }) } ?? .null,
    ]
  }

  private func object(_ names: [String], _ values: [SeedValue]) -> JSONValue {
    .object(zip(names, values).map { JSONMember($0, $1.json) })
  }
}

extension SeedValue {
  fileprivate var shown: String {
    switch self {
    case .text(let text): JSONValue.string(text.clipped).text
    default: description
    }
  }
}

extension TableComparison {
  fileprivate var line: String {
    let columns =
      addedColumns.map { "the column \"\($0)\" is new" }
      + removedColumns.map { "the column \"\($0)\" is gone" }
    let rows =
      switch presence {
      case .both: isSame ? "the same" : changes.words
      case .onlyOld: "the table is gone, with \(changes.deleted) rows"
      case .onlyNew: "the table is new, with \(changes.inserted) rows"
      case .otherKey: "has another key: its rows cannot be compared"
      }
    return "\(name): \(([rows] + columns).joined(separator: ", "))"
  }

  fileprivate var json: JSONValue {
    .object(
      [JSONMember("name", .string(name)), JSONMember("presence", .string(presence.rawValue))]
        + changes.members
        + [
          JSONMember("addedColumns", .array(addedColumns.map { .string($0) })),
          JSONMember("removedColumns", .array(removedColumns.map { .string($0) })),
        ])
  }
}
