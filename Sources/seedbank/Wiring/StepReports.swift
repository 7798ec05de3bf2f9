import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedTrust

extension SeriesReport {
  var line: String {
    let version = version.map { "version \($0)" } ?? "nothing published"
    let result =
      switch outcome {
      case .unchanged: "unchanged at \(version)"
      case .retired: "retired at \(version)"
      case .held: "held at \(version)"
      case .created: "\(version) created, \(rows.values.reduce(0, +).counted("row"))"
      case .changed: "\(version), \(changes.words)"
      }
    let parts = [
      "\(series): \(result)", newModel.map { "model \($0)\(fillWords)" },
      lifecycleWords, deltaBytes.map { "delta of \(ByteCount(bytes: $0))" },
      merged.isEmpty ? nil : "merged \(merged.map(\.description).joined(separator: " and "))", snapshotWords,
      repair.map { "working copy rebuilt because \($0)" },
      shrunk.isEmpty ? nil : "held back because its tables lost too many rows or values",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  private var fillWords: String {
    filled == 0 ? "" : " (\(filled.counted("row")) changed only in the new columns)"
  }

  private var lifecycleWords: String? {
    guard outcome != .retired, let newLifecycle else { return nil }
    return "now \(newLifecycle.word)" + (newLifecycle.sunset.map { " until \($0)" } ?? "")
  }

  private var snapshotWords: String? {
    guard hasSnapshot else { return nil }
    return snapshotBytes.map { "snapshot of \(ByteCount(bytes: $0))" } ?? "snapshot"
  }

  var record: LogRecord {
    LogRecord(
      hasNews ? .notice : .debug, line,
      .init(
        ("series", .string("\(series)")), ("outcome", .string(outcome.rawValue)),
        ("version", version.map { JSONValue($0.number) }),
        ("newModel", newModel.map { .string("\($0)") }), ("deltaBytes", deltaBytes.map { JSONValue($0) }),
        ("snapshotBytes", snapshotBytes.map { JSONValue($0) })))
  }

  var json: JSONValue {
    [
      "series": .string("\(series)"), "outcome": .string(outcome.rawValue),
      "version": JSONValue(version?.number), "newModel": JSONValue(newModel?.description),
      "newLifecycle": JSONValue(newLifecycle?.word), "deltaBytes": JSONValue(deltaBytes),
      "merged": .array(merged.map { ["from": JSONValue($0.from.number), "to": JSONValue($0.to.number)] }),
      "snapshot": .bool(hasSnapshot), "snapshotBytes": JSONValue(snapshotBytes), "repair": JSONValue(repair),
      "shrunk": .array(shrunk.map(\.json)), "tables": .object(tables.map { JSONMember($0, table($0)) }),
    ]
  }

  private var tables: [String] {
    Set(changes.filter { !$0.value.isEmpty }.keys).union(outcome == .created ? Array(rows.keys) : []).sorted()
  }

  fileprivate var tableLines: [String] {
    tables.map { name in
      "  \(name): \((changes[name] ?? TableChanges()).words)"
        + (rows[name].map { ", \($0.counted("row"))" } ?? "")
    }
  }

  private func table(_ name: String) -> JSONValue {
    let changes = changes[name] ?? TableChanges()
    return .object([JSONMember("rows", JSONValue(rows[name]))] + changes.members)
  }
}

extension ShrunkTable {
  var json: JSONValue {
    [
      "table": .string(name), "column": JSONValue(column), "before": JSONValue(before),
      "after": JSONValue(after),
    ]
  }
}

extension StepReport {
  fileprivate func json(_ dataset: DatasetName, warnings: [String]) -> JSONValue {
    [
      "dataset": .string(dataset.text), "dryRun": .bool(isPreview), "series": .array(series.map(\.json)),
      "pruned": JSONValue(strings: pruned), "warnings": JSONValue(strings: warnings),
    ]
  }

  var text: String {
    var lines = series.flatMap { [$0.line] + (isPreview ? $0.tableLines : []) }
    if isPreview, !pruned.isEmpty {
      lines.append("\(pruned.count.counted("file")) would be removed, because no metadata names them")
    }
    return lines.joined(separator: "\n")
  }
}

extension Console {
  func report(_ step: StepReport, of dataset: DatasetName, _ warnings: [String]) throws {
    for warning in warnings { self.warning("\(dataset): \(warning)") }
    try report(step.json(dataset, warnings: warnings), step.text)
  }
}

extension TableChanges {
  var words: String { "\(inserted.grouped) inserted, \(updated.grouped) updated, \(deleted.grouped) deleted" }
}

extension ChangeReport {
  var words: String { values.reduce(TableChanges(), +).words }

  var json: JSONValue { JSONValue(filter { !$0.value.isEmpty }) { .object($0.members) } }
}
