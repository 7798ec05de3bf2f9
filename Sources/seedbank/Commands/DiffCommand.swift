import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let diff = Command(
    name: "diff", abstract: "Compare two snapshots, or two versions of a series.",
    discussion: """
      Two numbers are two versions of a published series, which the command rebuilds from the publication. Anything else is a \
      file, optionally compressed with gzip or xz. Rows are matched by the table's key, and listed in its order.

      With --rows, each row that differs has a line: + for a new row, - for a deleted one, and ~ for a changed one, with old → new \
      for each changed column. With --json, every line is an object, and the last one is the summary.
      """,
    arguments: [
      .argument("old", help: "A file or a version."), .argument("new", help: "A file or a version."),
    ],
    options: [.config, .dataset, .series, .flag("rows", help: "Show the rows that differ."), .json],
    examples: [
      ("seedbank diff 41 42 --rows", "The changes of version 42."),
      ("seedbank diff old.sqlite new.sqlite.gz --json", "Two files, for a script."),
    ]
  ) { arguments, context in
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let sides = try DiffSides(arguments, context)
    let (console, showsRows) = (context.console, arguments.flag("rows"))
    try await blocking {
      let old = try sides.open(sides.old, by: scratch.file("old.sqlite"))
      let new = try sides.open(sides.new, by: scratch.file("new.sqlite"))
      let tables = try SeedComparison(old: old, new: new).run { row in
        if showsRows { try console.report(row.json, row.line) }
      }
      try console.report(
        [
          "old": .string(sides.old), "new": .string(sides.new), "same": .bool(tables.allSatisfy(\.isSame)),
          "tables": .array(tables.map(\.json)),
        ], tables.map(\.line).joined(separator: "\n"))
    }
  }
}

private struct DiffSides: Sendable {
  let old: String
  let new: String
  private let recall: SeriesRecall?

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    let words = (old: arguments.required("old"), new: arguments.required("new"))
    if [words.old, words.new].allSatisfy({ (try? SeedVersion($0)) != nil }) {
      let series = try SeriesChoice(arguments, try context.configuration(arguments))
      recall = SeriesRecall(series.publication, try series.published())
      (old, new) = words
    } else {
      recall = nil
      old = try arguments.requiredPath("old")
      new = try arguments.requiredPath("new")
    }
  }

  /// `file`: the path for a decompressed or restored copy.
  func open(_ name: String, by file: String) throws -> Connection {
    if let recall { return try recall.recall(try SeedVersion(name), to: file).connection }
    var path = name
    if let encoding = try Self.encoding(of: name) {
      _ = try naming(name) { try Compression.expand(name, to: file, encoding, limit: .max) }
      path = file
    }
    guard try File(path, for: .reading).read(Self.databaseStart.count) == Self.databaseStart else {
      throw Refusal(.badData, "\(name.printable): expected a snapshot, found a file that is not a database.")
    }
    return try naming(name) {
      let connection = try Connection(path, .received)
      _ = try SchemaReader(connection).schema()
      return connection
    }
  }

  private static let databaseStart = Array("SQLite format 3\u{0}".utf8)

  private static func encoding(of path: String) throws -> ContentEncoding? {
    let start = try File(path, for: .reading).read(databaseStart.count)
    if start.starts(with: [0x1F, 0x8B]) { return .gzip }
    return start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) ? .xz : nil
  }
}

extension RowDifference {
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
      "table": .string(table.name), "key": .object(zip(table.keyNames, key).map { JSONMember($0, $1.json) }),
      "old": shown(of: old), "new": shown(of: new),
    ]
  }

  private func shown(of row: [SeedValue]?) -> JSONValue {
    row.map { row in .object(shown.map { JSONMember(columns[$0], row[$0].json) }) } ?? .null
  }
}

extension SeedValue {
  fileprivate var shown: String {
    if case .text(let text) = self { JSONValue.string(text.clipped).text } else { description }
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
      case .onlyOld: "the table is gone, with \(changes.deleted.counted("row"))"
      case .onlyNew: "the table is new, with \(changes.inserted.counted("row"))"
      case .otherKey: "the key is different, so the rows cannot be compared"
      }
    return "\(name): \(([rows] + columns).joined(separator: ", "))"
  }

  fileprivate var json: JSONValue {
    .object(
      .init(("name", .string(name)), ("presence", .string(presence.rawValue))) + changes.members
        + .init(
          ("addedColumns", JSONValue(strings: addedColumns)),
          ("removedColumns", JSONValue(strings: removedColumns))))
  }
}
