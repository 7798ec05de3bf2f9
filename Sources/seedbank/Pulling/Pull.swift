import SeedClient
import SeedFormat
import SeedTrust

import struct Foundation.URL

/// `pull --store`: the client library, with its words for the operator.
struct Pull: Sendable {
  private let store: SeedStore
  private let console: Console
  private let isJSON: Bool
  private let notice: LifecycleNotice

  init(_ source: PullSource, _ directory: String, _ console: Console, isJSON: Bool) throws {
    store = try SeedStore(
      source.model, server: source.server, root: source.root, directory: directory, options: source.options)
    self.console = console
    self.isJSON = isJSON
    notice = source.notice
  }

  /// Proves the data that is there. What is damaged the look that follows replaces.
  func verify() async throws {
    do {
      try await store.verify()
    } catch  where error.code == .damaged {
      console.warning(error.message)
    }
  }

  func once() async throws {
    let report = try await store.update()
    try isJSON ? console.result(json(report)) : console.result(line(report))
  }

  /// What an update would do now.
  func check() async throws {
    let plan = try await store.updatePlan()
    let lifecycle = await store.state.lifecycle ?? .active
    notice.tell(lifecycle)
    try isJSON ? console.result(plan.json(series, lifecycle)) : console.result("\(series): \(plan.line)")
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
      "path": .string(report.seed.url.path), "lifecycle": report.lifecycle.json,
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
