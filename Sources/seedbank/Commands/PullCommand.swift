import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import struct Foundation.URL

extension Command {
  static let pull = Command(
    name: "pull", abstract: "Download and verify a dataset, and keep it fresh.",
    discussion: """
      Updates a store to the newest version, with a snapshot or with the changes since the last update. \
      Everything is verified, beginning with the root file. The result names the SQLite file: read it, but never \
      write to it.

      With --verify, it first recomputes the digest from all rows of the store. If the digest differs from the verified one, \
      a snapshot replaces the data.

      With --bundle, it makes the folder that an app ships, instead of a store: root, metadata and the newest snapshot, as \
      published. It replaces only an older bundle of the same dataset and major.

      A store belongs to one dataset and major. If the series is deprecated or retired, a warning appears on stderr.

      Exit codes: 0 done, 65 the server's data was rejected, 69 it does not answer, 74 a disk failed, 75 another \
      process writes to the store or makes the bundle, 78 the root file is unusable, or the store belongs to other data.
      """,
    arguments: [.argument("url", help: "The address of the publication's front.")],
    options: [
      .value("dataset", "name", isRequired: true, help: "The dataset."),
      .value("model", "major.minor", isRequired: true, help: "The model version of the data."),
      .value("store", "dir", help: "The store's directory; it is created if it does not exist."),
      .value("bundle", "dir", help: "Make a bundle for an app in this directory, instead of a store."),
      .value("root", "file", isRequired: true, help: "The publication's root.json, from a source you trust."),
      .flag("check", help: "Show what would be downloaded, and how many bytes; fetch only metadata."),
      .flag("verify", help: "Check the store's data first; damaged data is replaced."),
      .flag("watch", help: "Keep updating until a signal or a closed stdout, with a line for each change."),
      .json,
    ],
    examples: [
      (
        "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
          + "      --store ./seeds --root root.json", "Keep the newest transit data in ./seeds."
      ),
      (
        "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
          + "      --bundle ./App/Seed --root root.json",
        "Make the bundle that an app ships for its first start."
      ),
    ]
  ) { arguments, context in
    let pull = try Pull(arguments, context)
    let directory = try arguments.path("store")
    if let bundle = try arguments.path("bundle") {
      guard directory == nil, !["check", "watch", "verify"].contains(where: arguments.flag) else {
        throw arguments.error("'--bundle' cannot be used with --store, --watch, --check or --verify.")
      }
      return try await pull.makeBundle(in: bundle)
    }
    guard let directory else {
      throw arguments.error("Missing the option '--store <dir>' or '--bundle <dir>'.")
    }
    for other in ["watch", "verify"] { try arguments.refuse("check", beside: other) }
    let store = try pull.store(in: directory)
    let warnings = arguments.flag("verify") ? try await pull.verify(store) : []
    if arguments.flag("check") {
      try await pull.check(store)
    } else if arguments.flag("watch") {
      try await pull.watch(store)
    } else {
      try await pull.update(store, after: warnings)
    }
  }
}

extension ParsedArguments {
  func server(_ name: String) throws(Refusal) -> URL {
    if let server = Self.address(required(name)) { return server }
    throw unsuitable(name, required(name), "an address such as https://seeds.example")
  }

  static func address(_ text: String) -> URL? {
    URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? $0 : nil }
  }

  func rootFile() throws -> [UInt8]? { try path("root").map(TextFile.root) }
}

extension TextFile {
  static func root(_ path: String) throws -> [UInt8] {
    let bytes = try bytes(path, for: .readingAny)
    try ShippedRoot.check(bytes, name: path)
    return bytes
  }
}

/// Warns that a series is deprecated or retired, once for each change of its lifecycle.
final class LifecycleNotice: Sendable {
  private let console: Console
  private let series: SeedSeries
  /// True for `--watch --json`, which prints the change as an event. Otherwise the result includes the lifecycle.
  private let isEvent: Bool
  private let reported = Mutex(SeedLifecycle.active)

  init(_ series: SeedSeries, _ console: Console, isEvent: Bool) {
    (self.series, self.console, self.isEvent) = (series, console, isEvent)
  }

  func report(_ lifecycle: SeedLifecycle) {
    let isNews = reported.withLock { reported in
      defer { reported = lifecycle }
      return reported != lifecycle
    }
    guard isNews else { return }
    console.warning("\(series) \(words(lifecycle))")
    // If this fails, the reader has closed stdout, and the next event ends the watch.
    if isEvent { try? console.result(["event": "lifecycle", "lifecycle": lifecycle.json]) }
  }

  private func words(_ lifecycle: SeedLifecycle) -> String {
    let message = lifecycle.message.map { " (\($0))" } ?? ""
    return switch lifecycle {
    case .active: "is active again"
    case .deprecated(let sunset, _):
      "is deprecated\(sunset.map { " and ends on \($0)" } ?? "")\(message): switch to a newer model"
    case .retired: "has ended and gets no more updates\(message): switch to a newer model"
    }
  }
}

struct Pull: Sendable {
  private let server: URL
  private let model: SeedModel
  private let root: [UInt8]
  private let options: SeedOptions
  private let notice: LifecycleNotice
  private let console: Console

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    (server, console) = (try arguments.server("url"), context.console)
    model = SeedModel(
      dataset: try arguments.name("dataset", DatasetName.init(_:)),
      version: try arguments.name("model", ModelVersion.init(_:)))
    root = try arguments.rootFile() ?? []
    let notice = LifecycleNotice(
      model.series, console, isEvent: arguments.flag("watch") && arguments.flag("json"))
    var options = SeedOptions()
    options.isBoundToMajor = true
    options.provesRows = true
    options.onPhase = { [console = context.console] phase in
      console.progress(phase)
      if case .finished(let report) = phase { notice.report(report.lifecycle) }
    }
    (self.notice, self.options) = (notice, options)
  }

  func store(in directory: String) throws -> SeedStore {
    try SeedStore(model, server: server, root: root, directory: directory, options: options)
  }

  /// Warns of damaged data, which the next update replaces. Returns the warning.
  func verify(_ store: SeedStore) async throws -> [String] {
    do {
      try await store.verify()
      return []
    } catch let error as SeedError where error.code == .damaged {
      console.warning(error.message)
      return [error.message]
    }
  }

  func update(_ store: SeedStore, after warnings: [String]) async throws {
    var warnings = warnings
    let report = try await store.update()
    if let newest = await store.state.newestVersion, newest > report.to {
      let warning =
        "\(series): version \(newest) is published, but the server's files for it are missing or damaged: pull again "
        + "later; if that does not help, 'seedbank verify' on the server lists these files"
      console.warning(warning)
      warnings.append(warning)
    }
    try console.report(json(report, warnings), line(report))
  }

  func check(_ store: SeedStore) async throws {
    let plan = try await store.updatePlan()
    let lifecycle = await store.state.lifecycle ?? .active
    notice.report(lifecycle)
    try console.report(plan.json(series, lifecycle), "\(series): \(plan.line)")
  }

  /// Prints new files and changes as they arrive, until stdout is closed. Warns of a failed update and retries.
  func watch(_ store: SeedStore) async throws {
    try await StopSignals().cancelling {
      try await withThrowingTaskGroup { group in
        let (files, changes) = (store.files, store.changes)
        group.addTask { for await seed in files { try report(seed) } }
        group.addTask { for await change in changes { try report(change) } }
        group.addTask { try await store.keepUpdated { failure in console.warning(failure.message) } }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  func makeBundle(in directory: String) async throws {
    let maker = try BundleMaker(model, server: server, root: root, directory: directory, options: options)
    // `cancelling` waits for the maker, which removes its temporary files.
    guard let report = try await StopSignals().cancelling({ try await maker.make() }) else {
      throw CancellationError()
    }
    notice.report(report.lifecycle)
    try console.report(report.json, report.text)
  }

  private var series: SeedSeries { model.series }

  private func line(_ report: UpdateReport) -> String {
    let start = report.from.map { "\($0) → " } ?? ""
    let step =
      report.action == .upToDate
      ? "\(report.to) is the newest" : "\(start)\(report.to), \(ByteCount(bytes: report.bytes))"
    return "\(series): version \(step), \(report.seed.url.path)"
  }

  private func json(_ report: UpdateReport, _ warnings: [String]) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": JSONValue(series.major),
      "action": .string(report.action.rawValue), "from": JSONValue(report.from?.number),
      "to": JSONValue(report.to.number), "bytes": JSONValue(report.bytes),
      "path": .string(report.seed.url.path), "lifecycle": report.lifecycle.json,
      "warnings": JSONValue(strings: warnings),
    ]
  }

  private func report(_ seed: Seed) throws {
    try event(
      ["event": "opening", "version": JSONValue(seed.version.number), "path": .string(seed.url.path)],
      "\(series): version \(seed.version), \(seed.url.path)")
  }

  /// Prints an event. Ends the watch if the reader has closed stdout.
  private func event(_ json: JSONValue, _ text: String) throws {
    try console.report(json, text)
    if console.isUnread { throw CancellationError() }
  }

  private func report(_ change: SeedChanges) throws {
    let tables = change.tables.sorted { $0.key < $1.key }
    let words = tables.map { name, rows in
      "\(name) +\(rows.inserted.grouped) ~\(rows.updated.grouped) -\(rows.deleted.grouped)"
    }
    let rows = tables.map { name, rows -> JSONValue in
      [
        "table": .string(name), "inserted": JSONValue(rows.inserted), "updated": JSONValue(rows.updated),
        "deleted": JSONValue(rows.deleted),
      ]
    }
    try event(
      ["event": "changes", "version": JSONValue(change.version.number), "tables": .array(rows)],
      "\(series): version \(change.version): \(words.joined(separator: ", "))")
  }
}

extension UpdatePlan {
  fileprivate var line: String {
    guard action != .upToDate else { return "version \(to) is the newest" }
    let start = from.map { "version \($0) → \(to)" } ?? "version \(to)"
    return "\(start), \(ByteCount(bytes: bytes)) to download (\(words)): \(files.joined(separator: ", "))"
  }

  private var words: String {
    switch reason {
    case .upToDate: "the data is current"
    case .firstDownload: "there is no data yet"
    case .newEpoch: "the publisher started the history over"
    case .newSchema: "the newest data has a different schema"
    case .otherRows: "the rows here differ from the published ones"
    case .deltasAreSmaller: "the newest snapshot would be \(ByteCount(bytes: snapshotBytes ?? 0))"
    case .snapshotIsSmaller: "the deltas would be \(ByteCount(bytes: deltaBytes ?? 0))"
    case .onlyDeltas: "there is no usable snapshot"
    case .onlySnapshot: "there are no usable deltas"
    case .deltasFailed: "the deltas did not yield the published rows"
    case .logHeld: "a reader with a long transaction keeps the write-ahead log large"
    }
  }

  func json(_ series: SeedSeries, _ lifecycle: SeedLifecycle) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": JSONValue(series.major),
      "action": .string(action.rawValue), "reason": .string(reason.rawValue),
      "from": JSONValue(from?.number), "to": JSONValue(to.number), "files": JSONValue(strings: files),
      "bytes": JSONValue(bytes), "deltaBytes": JSONValue(deltaBytes),
      "snapshotBytes": JSONValue(snapshotBytes), "lifecycle": lifecycle.json,
    ]
  }
}

extension BundleReport {
  fileprivate var text: String {
    """
    \(snapshot.series): version \(snapshot.version) in \(directory)
      it adds \(ByteCount(bytes: bytes)) to the app: the snapshot \(ByteCount(bytes: snapshot.length)), root and metadata \
    \(ByteCount(bytes: metadataBytes))
      expanded on a device, its data takes \(ByteCount(bytes: snapshot.rawLength))
    """
  }

  fileprivate var json: JSONValue {
    [
      "dataset": .string(snapshot.series.dataset.text), "series": JSONValue(snapshot.series.major),
      "model": .string(snapshot.model.description), "version": JSONValue(snapshot.version.number),
      "path": .string(directory), "snapshot": .string(snapshot.filePath), "bytes": JSONValue(bytes),
      "snapshotBytes": JSONValue(snapshot.length), "metadataBytes": JSONValue(metadataBytes),
      "expandedBytes": JSONValue(snapshot.rawLength), "lifecycle": lifecycle.json,
    ]
  }
}

extension Console {
  fileprivate func progress(_ phase: UpdatePhase) {
    switch phase {
    case .downloading(let bytes, let total): progress("downloading", bytes, of: total)
    case .expanding(let bytes, let total): progress("expanding", bytes, of: total)
    case .applying(_, let bytes, let total): progress("applying", bytes, of: total)
    case .buildingIndexes: progress("building indexes")
    case .checking, .swapping, .finished: break
    }
  }
}
