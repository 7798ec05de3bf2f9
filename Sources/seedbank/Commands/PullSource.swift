import SeedClient
import SeedFormat
import SeedSystem
import SeedTrust

import struct Foundation.URL

struct PullSource: Sendable {
  let server: URL
  let model: SeedModel
  let root: [UInt8]
  let options: SeedOptions
  let notice: LifecycleNotice

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    guard let server = try arguments.server("url") else {
      throw arguments.unsuitable("url", "nothing", "an address")
    }
    self.server = server
    model = try Self.model(arguments)
    root = try arguments.rootFile(from: context.currentDirectory) ?? []
    let progress = ProgressDisplay(context.console)
    let notice = LifecycleNotice(
      model.series, context.console, isEvent: arguments.flag("watch") && arguments.flag("json"))
    var options = SeedOptions()
    options.isBoundToMajor = true
    options.provesRows = true
    options.onPhase = { phase in
      progress.tell(phase)
      if case .finished(let report) = phase { notice.tell(report.lifecycle) }
    }
    (self.notice, self.options) = (notice, options)
  }

  private static func model(_ arguments: ParsedArguments) throws -> SeedModel {
    let dataset = try arguments.name("dataset") { text throws(InvalidName) in try DatasetName(text) }
    let model = try arguments.name("model") { text throws(InvalidName) in try ModelVersion(text) }
    return SeedModel(dataset: dataset, version: model)
  }
}

extension ParsedArguments {
  func server(_ name: String) throws(UsageError) -> URL? {
    guard let text = string(name) else { return nil }
    guard let server = Self.address(text) else {
      throw unsuitable(name, text, "an address such as https://seeds.example")
    }
    return server
  }

  static func address(_ text: String) -> URL? {
    URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? $0 : nil }
  }

  func rootFile(from directory: String) throws -> [UInt8]? {
    guard let path = try path("root", from: directory) else { return nil }
    let bytes = try TextFile.bytes(path, for: .readingAny)
    try ShippedRoot.check(bytes, name: path)
    return bytes
  }
}

/// Warns once per change of lifecycle that a series is deprecated or retired.
final class LifecycleNotice: Sendable {
  private let console: Console
  private let series: SeedSeries
  /// True for `--watch --json`, which prints an event; otherwise the result includes the lifecycle.
  private let isEvent: Bool
  private let told = Mutex(SeedLifecycle.active)

  init(_ series: SeedSeries, _ console: Console, isEvent: Bool) {
    (self.series, self.console, self.isEvent) = (series, console, isEvent)
  }

  func tell(_ lifecycle: SeedLifecycle) {
    let isNews = told.withLock { told in
      defer { told = lifecycle }
      return told != lifecycle
    }
    guard isNews else { return }
    console.warning("\(series) \(words(lifecycle))")
    // If this fails, the reader has closed stdout, and the next event fails too.
    if isEvent { try? console.result(["event": "lifecycle", "lifecycle": lifecycle.json]) }
  }

  private func words(_ lifecycle: SeedLifecycle) -> String {
    let message = lifecycle.message.map { " (\($0))" } ?? ""
    return switch lifecycle {
    case .active: "is active again"
    case .deprecated(let sunset, _):
      "is deprecated\(sunset.map { " and ends on \($0)" } ?? "")\(message): move on to a newer model"
    case .retired: "has ended and gets no more updates\(message): move on to a newer model"
    }
  }
}

extension ProgressDisplay {
  fileprivate func tell(_ phase: UpdatePhase) {
    switch phase {
    case .downloading(let bytes, let total): tell("downloading", bytes, of: total)
    case .expanding(let bytes, let total): tell("expanding", bytes, of: total)
    case .applying(_, let bytes, let total): tell("applying", bytes, of: total)
    case .buildingIndexes: console.progress("building indexes")
    case .checking, .swapping, .finished: break
    }
  }
}
