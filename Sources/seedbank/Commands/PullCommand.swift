import SeedClient
import SeedFormat

import struct Foundation.URL

extension Command {
  static let pull = Command(
    definition: CommandDefinition(
      name: "pull",
      abstract: "Download a dataset, verified, and keep it fresh.",
      discussion: """
        Looks at the server once and brings the store to the newest version, by a snapshot or by the changes since. \
        Everything is verified from the root file on. The result names the SQLite file: read it, do not write to it.
        """,
      arguments: [ArgumentDefinition(name: "url", help: "Where the publication is served.")],
      options: [
        .value("dataset", "name", isRequired: true, help: "The dataset."),
        .value("model", "major.minor", isRequired: true, help: "The model version to read it by."),
        .value(
          "store", "dir", isRequired: true, help: "The store's directory; it is made if it is not there."),
        .value(
          "root", "file", isRequired: true, help: "The publication's root.json, from a source you trust."),
        .value("schema", "hash", help: "The schema hash the model must have (default: the signed one)."),
        .flag("watch", help: "Go on until SIGINT or SIGTERM, a line for each change."),
        .json,
      ],
      examples: [
        CommandExample(
          "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
            + "      --store ./seeds --root root.json",
          "The newest transit data in ./seeds.")
      ])
  ) { arguments, context in
    let pull = try Pull(arguments, context)
    if arguments.flag("watch") { try await pull.watch() } else { try await pull.once() }
  }
}

/// One call of the command: the client library, with its words for the operator.
private struct Pull: Sendable {
  private let store: SeedStore
  private let console: Console
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    let text = arguments.required("url")
    guard let server = URL(string: text), ["http", "https"].contains(server.scheme), server.host != nil else {
      throw arguments.unsuitable("url", text, "an address such as https://seeds.example")
    }
    let root = try TextFile.bytes(arguments.requiredPath("root", from: context.currentDirectory))
    var options = SeedOptions()
    options.onPhase = { [console = context.console] phase in phase.line.map(console.progress) }
    store = try SeedStore(
      Self.model(arguments), server: server, root: root,
      directory: arguments.requiredPath("store", from: context.currentDirectory), options: options)
    console = context.console
    isJSON = arguments.flag("json")
  }

  private static func model(_ arguments: ParsedArguments) throws -> SeedModel {
    let dataset = try arguments.name("dataset") { text throws(InvalidName) in try DatasetName(text) }
    let model = try arguments.name("model") { text throws(InvalidName) in try ModelVersion(text) }
    guard arguments.string("schema") != nil else { return SeedModel(dataset: dataset, model: model) }
    let schema = try arguments.name("schema") { text throws(InvalidName) in try SHA256Digest(hex: text) }
    return SeedModel(dataset: dataset, model: model, schema: schema)
  }

  func once() async throws {
    let report = try await store.update()
    try isJSON ? console.result(json(report)) : console.result(line(report))
  }

  /// Generations and changes as they come; a failed look is told on stderr, and the next one comes.
  func watch() async throws {
    try await Signals().cancelling {
      try await withThrowingTaskGroup { group in
        let (openings, changes) = (store.openings, store.changes)
        group.addTask { for await seed in openings { try tell(seed) } }
        group.addTask { for await change in changes { try tell(change) } }
        group.addTask { try await store.keepUpdated { failure in console.warning(failure.message) } }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  // MARK: Words

  private var series: Series { store.model.series }

  private func line(_ report: UpdateReport) -> String {
    let seed = report.seed
    return switch (report.action, report.from) {
    case (.upToDate, _): "\(series): version \(report.to) is the newest, \(seed.url.path)"
    case (_, let from?): "\(series): version \(from) → \(report.to), \(report.bytes) bytes, \(seed.url.path)"
    case (_, nil): "\(series): version \(report.to), \(report.bytes) bytes, \(seed.url.path)"
    }
  }

  private func json(_ report: UpdateReport) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": .integer(Int64(series.major)),
      "action": .string(report.action.rawValue),
      "from": report.from.map { .integer(Int64($0.number)) } ?? .null,
      "to": .integer(Int64(report.to.number)), "bytes": .integer(Int64(report.bytes)),
      "path": .string(report.seed.url.path),
    ]
  }

  private func tell(_ seed: Seed) throws {
    let json: JSONValue = [
      "event": "opening", "version": .integer(Int64(seed.version.number)), "path": .string(seed.url.path),
    ]
    try isJSON ? console.result(json) : console.result("\(series): version \(seed.version), \(seed.url.path)")
  }

  private func tell(_ change: SeedChanges) throws {
    let tables = change.tables.sorted { $0.key < $1.key }
    guard !isJSON else { return try console.result(json(change.version, tables)) }
    let words = tables.map { name, rows in "\(name) +\(rows.inserted) ~\(rows.updated) -\(rows.deleted)" }
    try console.result("\(series): version \(change.version): \(words.joined(separator: ", "))")
  }

  private func json(_ version: Version, _ tables: [(key: String, value: SeedChanges.Table)]) -> JSONValue {
    let rows = tables.map { name, rows in
      JSONValue.object([
        JSONMember("table", .string(name)), JSONMember("inserted", .integer(Int64(rows.inserted))),
        JSONMember("updated", .integer(Int64(rows.updated))),
        JSONMember("deleted", .integer(Int64(rows.deleted))),
      ])
    }
    return ["event": "changes", "version": .integer(Int64(version.number)), "tables": .array(rows)]
  }
}

extension UpdatePhase {
  /// What a terminal shows of it.
  fileprivate var line: String? {
    switch self {
    case .checking, .finished, .swapping: nil
    case .downloading(let bytes, let total): "downloading: \(bytes * 100 / max(total, 1)) % of \(total) bytes"
    case .expanding(let bytes, let total): "expanding: \(bytes * 100 / max(total, 1)) % of \(total) bytes"
    case .buildingIndexes: "building indexes"
    case .applying(let rows, _, _): "applying changes: \(rows) rows"
    }
  }
}

extension ParsedArguments {
  fileprivate func requiredPath(_ name: String, from directory: String) throws(UsageError) -> String {
    guard let path = try path(name, from: directory) else { throw unsuitable(name, "nothing", "a path") }
    return path
  }

  fileprivate func name<Value>(
    _ name: String, _ read: (String) throws(InvalidName) -> Value
  ) throws(UsageError) -> Value {
    do {
      return try read(required(name))
    } catch {
      throw unsuitable(name, error.found, error.expected)
    }
  }
}
