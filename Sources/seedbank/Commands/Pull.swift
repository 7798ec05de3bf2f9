import SeedClient
import SeedFormat
import SeedSystem
import SeedTrust

import struct Foundation.URL

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
      dataset: try arguments.name("dataset") { text throws(InvalidName) in try DatasetName(text) },
      version: try arguments.name("model") { text throws(InvalidName) in try ModelVersion(text) })
    root = try arguments.rootFile(from: context.currentDirectory) ?? []
    let notice = LifecycleNotice(
      model.series, console, isEvent: arguments.flag("watch") && arguments.flag("json"))
    var options = SeedOptions()
    options.isBoundToMajor = true
    options.provesRows = true
    options.onPhase = { [console = context.console] phase in
      console.progress(phase)
      if case .finished(let report) = phase { notice.tell(report.lifecycle) }
    }
    (self.notice, self.options) = (notice, options)
  }

  func store(in directory: String) throws -> SeedStore {
    try SeedStore(model, server: server, root: root, directory: directory, options: options)
  }

  /// If the local data is damaged, the next update replaces it.
  func verify(_ store: SeedStore) async throws {
    do {
      try await store.verify()
    } catch let error as SeedError where error.code == .damaged {
      console.warning(error.message)
    }
  }

  func update(_ store: SeedStore) async throws {
    let report = try await store.update()
    try console.report(json(report), line(report))
  }

  func check(_ store: SeedStore) async throws {
    let plan = try await store.updatePlan()
    let lifecycle = await store.state.lifecycle ?? .active
    notice.tell(lifecycle)
    try console.report(plan.json(series, lifecycle), "\(series): \(plan.line)")
  }

  /// Prints generations and changes as they arrive, until stdout is closed. Warns of a failed update and retries.
  func watch(_ store: SeedStore) async throws {
    try await StopSignals().cancelling {
      try await withThrowingTaskGroup { group in
        let (files, changes) = (store.files, store.changes)
        group.addTask { for await seed in files { try tell(seed) } }
        group.addTask { for await change in changes { try tell(change) } }
        group.addTask { try await store.keepUpdated { failure in console.warning(failure.message) } }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  private var series: SeedSeries { model.series }

  private func line(_ report: UpdateReport) -> String {
    let start = report.from.map { "\($0) → " } ?? ""
    let step =
      report.action == .upToDate
      ? "\(report.to) is the newest" : "\(start)\(report.to), \(ByteCount(bytes: report.bytes))"
    return "\(series): version \(step), \(report.seed.url.path)"
  }

  private func json(_ report: UpdateReport) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": JSONValue(series.major),
      "action": .string(report.action.rawValue), "from": JSONValue(report.from?.number),
      "to": JSONValue(report.to.number), "bytes": JSONValue(report.bytes),
      "path": .string(report.seed.url.path), "lifecycle": report.lifecycle.json,
    ]
  }

  private func tell(_ seed: Seed) throws {
    try event(
      ["event": "opening", "version": JSONValue(seed.version.number), "path": .string(seed.url.path)],
      "\(series): version \(seed.version), \(seed.url.path)")
  }

  /// Ends the watch if the reader is gone.
  private func event(_ json: JSONValue, _ text: String) throws {
    try console.report(json, text)
    if console.isUnread { throw CancellationError() }
  }

  private func tell(_ change: SeedChanges) throws {
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
    case .newEpoch: "the publisher began a new history"
    case .newSchema: "the newest data has another schema"
    case .otherRows: "the rows here differ from the published ones"
    case .deltasAreSmaller: "the newest snapshot has \(ByteCount(bytes: snapshotBytes ?? 0))"
    case .snapshotIsSmaller: "the deltas have \(ByteCount(bytes: deltaBytes ?? 0))"
    case .onlyDeltas: "no snapshot leads there"
    case .onlySnapshot: "no deltas lead there"
    case .deltasFailed: "the deltas do not fit the data here"
    case .logHeld: "a reader that does not end keeps the log"
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

extension Pull {
  func makeBundle(in directory: String) async throws {
    let maker = try BundleMaker(model, server: server, root: root, directory: directory, options: options)
    let made = Mutex<BundleReport?>(nil)
    // After a signal, as after an error, no temporary file stays.
    try await StopSignals().cancelling {
      let report = try await maker.make()
      made.withLock { $0 = report }
    }
    guard let report = made.withLock(\.self) else { throw CancellationError() }
    notice.tell(report.lifecycle)
    try console.report(report.json, report.text)
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
