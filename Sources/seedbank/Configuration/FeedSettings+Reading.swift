import SeedFormat
import SeedImport
import SeedPublication
import SeedPublisher
import SeedSystem

extension DatasetConfiguration {
  static let feedSettings: [Setting<Self>] = [
    Setting(
      key: "origin.feed", type: "path", usual: "none", isSeldom: true,
      meaning:
        "a folder of CSV, NDJSON and JSON files, or one such file, that hold the data; see the article on feeds",
      read: { dataset, value throws(Refusal) in
        if let path = try value.path() { dataset.feed.source = .path(path) }
      }, json: { $0.feedPath.map { .string($0) } ?? .null }),
    Setting(
      key: "origin.command", type: "list of strings", usual: "none", isSeldom: true,
      meaning:
        "a program and its arguments; it writes CSV, NDJSON or JSON files into the empty folder in which it starts, whose path "
        + "is also in `SEEDBANK_FEED`. See the article on feeds",
      read: readCommand, json: { JSONValue(strings: $0.command) }),
    .integer(
      "origin.timeoutSeconds", \.feed.timeoutSeconds, in: 1...86_400, isSeldom: true,
      "seconds after which `origin.command` is ended and counts as failed"),
    .integer(
      "origin.everySeconds", \.feed.everySeconds, in: 1...2_592_000, isSeldom: true,
      "seconds after which `run` starts `origin.command` again; `regenerate` starts it each time"),
    .text(
      "origin.complete", \.feed.marker, isSeldom: true,
      "the name of a file that is written into the feed's folder last. The folder is not read if this file is missing, "
        + "or if other files were added, changed or removed after it, whatever their modification times"),
    .integer(
      "origin.settleSeconds", \.feed.settleSeconds, in: 0...86_400, isSeldom: true,
      "seconds for which a feed's files must stay unchanged before they are read, if there is no `origin.complete`"
    ),
    .choice(
      "origin.empty", \.feed.emptyFields, isSeldom: true,
      "the value of an empty field in a feed's CSV. `null`: NULL. `text`: the empty string. `quotes`: the empty string if "
        + "written as \"\", otherwise NULL. `auto`: the empty string if the column is TEXT NOT NULL, otherwise NULL"
    ),
    Setting(
      "origin.tables", \.feed.tables, type: "by table: a file's name, or an object",
      usual: "by the files' names", isSeldom: true,
      "needed only if a table's file has another name, or needs a description. The value is the file's name, a shell pattern in "
        + "which `*` matches any characters, or an object: `file`; `rows`, `layout` and `csv` as in a mapping; `types` of columns "
        + "that SELECTs read; `optionalColumns`, which may be absent; and `optional`, with which a table whose file is absent has "
        + "no rows", read: { value throws(Refusal) in try value.feedTables() },
      json: { .object($0.map { JSONMember($0.table, $0.json) }) }),
    .integer(
      "origin.maximumBytes", \.feed.mostBytes, in: 1...1_000_000_000_000_000, isSeldom: true,
      "maximum total size of a feed's files in bytes, decompressed"),
  ]

  private var feedPath: String? {
    guard case .path(let path)? = feed.source else { return nil }
    return Paths.relative(path, to: folder)
  }

  private var command: [String] {
    if case .command(let words)? = feed.source { words } else { [] }
  }

  /// Read after the other location keys, because only one of all four may be given.
  @Sendable private static func readCommand(
    _ dataset: inout Self, _ value: ConfigurationValue
  ) throws(Refusal) {
    let command = try value.command()
    let given = [
      ("origin.sqlite", !dataset.originPath.isEmpty), ("origin.postgres", dataset.postgres.url != nil),
      ("origin.feed", dataset.feed.source != nil), ("origin.command", command != nil),
    ].filter(\.1).map(\.0)
    guard given.count == 1 else {
      let override = given.lazy.compactMap { value.overrides[value.prefix + $0] }.first
      let found = given.isEmpty ? "none" : "\(given.joined(separator: " and ")); keep one"
      throw Refusal.configuration(
        override?.source ?? value.file, path: "origin",
        "expected one of origin.sqlite, origin.postgres, origin.feed and origin.command, found \(found)")
    }
    if let command {
      let program = command[0].contains("/") ? Paths.absolute(command[0], from: dataset.folder) : command[0]
      dataset.feed.source = .command([program] + command.dropFirst())
    }
  }
}

extension ConfigurationValue {
  fileprivate func feedTables() throws(Refusal) -> [FeedTable]? {
    guard try listed() != nil else { return nil }
    return try members().map { table, value throws(Refusal) in
      guard !FeedTable.isReserved(table) else {
        throw value.error("SQLite or Seedbank has a table of this name: give the feed's table another name")
      }
      if let file = value.written?.string { return FeedTable(table, file: file, json: .string(file)) }
      return try value.feedTable(table)
    }
  }

  private func feedTable(_ table: String) throws(Refusal) -> FeedTable {
    guard let written, let members = written.members else {
      throw error(
        "expected a file's name, or an object such as {\"file\": \"a.csv\"}, found \(written?.kind ?? "nothing")"
      )
    }
    let own = ["types", "optionalColumns", "optional"]
    let layouts = ["layout", "csv", "keyColumn"]
    let names = ["file", "rows"] + layouts + own
    if let surplus = members.first(where: { !names.contains($0.name) }) {
      throw error("expected one of \(alternatives(names)), found \"\(surplus.name.clipped)\"")
    }
    let mapped = members.filter { !own.contains($0.name) } + [JSONMember("table", .string(table))]
    let list: ImportMapping.List
    do throws(ImportFailure) {
      list = try ImportMapping(json: JSONValue.object(mapped).bytes).lists[0]
    } catch { throw self.error(error.message) }
    let isNamed = members.contains { layouts.contains($0.name) }
    var said = FeedTable(
      table, file: written["file"]?.string, rows: list.rows, layout: isNamed ? list.layout : nil,
      json: written)
    try readColumns(into: &said)
    return said
  }

  private func readColumns(into said: inout FeedTable) throws(Refusal) {
    for (name, value) in try members() {
      switch name {
      case "types":
        for (column, type) in try value.members() { said.types[column] = try type.choice() }
      case "optional":
        said.isOptional = try value.flag() ?? false
      case "optionalColumns":
        said.optionalColumns = try value.list { value throws(Refusal) in try value.text() } ?? []
      default: continue
      }
    }
  }
}
