import SeedDatabase
import SeedFormat
import SeedServer

extension SeriesReport {
  /// One line for an operator.
  var line: String {
    let version = version.map { "version \($0)" } ?? "nothing published"
    let parts =
      switch outcome {
      case .unchanged: ["\(series): unchanged at \(version)"]
      case .retired: ["\(series): retired at \(version)"]
      case .held: ["\(series): held at \(version)"]
      case .created: ["\(series): \(version) founded, \(rows.values.reduce(0, +)) rows"]
      case .changed: ["\(series): \(version), \(changes.words)"]
      }
    let sizes = [
      deltaBytes.map { "delta of \($0) bytes" },
      merged.isEmpty ? nil : "merged \(merged.map(\.description).joined(separator: " and "))",
      snapshotWords,
      repair.map { "working copy made anew because \($0)" },
      shrunk.isEmpty ? nil : "held back, its tables lost too many rows",
    ]
    return (parts + sizes.compactMap(\.self)).joined(separator: ", ")
  }

  private var snapshotWords: String? {
    guard hasSnapshot else { return nil }
    if let snapshotBytes { return "snapshot of \(snapshotBytes) bytes" }
    guard let expectedSnapshotBytes else { return "snapshot" }
    return "snapshot of about \(expectedSnapshotBytes) bytes, as the newest one has"
  }

  /// How much the line matters to an operator.
  var level: LogLevel { outcome == .held ? .warning : hasNews ? .notice : .debug }

  /// The line with what a program wants to know of it.
  var record: LogRecord {
    let sizes = [("deltaBytes", deltaBytes), ("snapshotBytes", snapshotBytes)].compactMap { name, bytes in
      bytes.map { JSONMember(name, .integer(Int64($0))) }
    }
    let members = [
      JSONMember("series", .string("\(series)")), JSONMember("outcome", .string(outcome.rawValue)),
    ]
    let version = version.map { [JSONMember("version", .integer(Int64($0.number)))] } ?? []
    return LogRecord(level, line, members + version + sizes)
  }

  /// The same for a script.
  var json: JSONValue {
    [
      "series": .string("\(series)"),
      "outcome": .string(outcome.rawValue),
      "version": version.map { .integer(Int64($0.number)) } ?? .null,
      "deltaBytes": deltaBytes.map { .integer(Int64($0)) } ?? .null,
      "merged": .array(merged.map { ["from": number($0.from.number), "to": number($0.to.number)] }),
      "snapshot": .bool(hasSnapshot),
      "snapshotBytes": snapshotBytes.map { .integer(Int64($0)) } ?? .null,
      "expectedSnapshotBytes": expectedSnapshotBytes.map { .integer(Int64($0)) } ?? .null,
      "repair": repair.map { .string($0) } ?? .null,
      "shrunk": .array(shrunk.map(\.json)),
      "tables": .object(tables.map { JSONMember($0, table($0)) }),
    ]
  }

  private var tables: [String] {
    Set(changes.filter { !$0.value.isEmpty }.keys).union(outcome == .created ? Array(rows.keys) : []).sorted()
  }

  private func table(_ name: String) -> JSONValue {
    let changes = changes[name] ?? TableChanges()
    return .object([JSONMember("rows", rows[name].map(number) ?? .null)] + changes.members)
  }
}

extension ShrunkTable {
  fileprivate var json: JSONValue {
    ["table": .string(name), "before": number(before), "after": number(after)]
  }
}

extension StepReport {
  /// What is said of the dataset beside its series, for a script.
  func json(_ dataset: DatasetName, warnings: [String]) -> JSONValue {
    [
      "dataset": .string(dataset.text), "dryRun": .bool(isPreview), "series": .array(series.map(\.json)),
      "pruned": .array(pruned.map { .string($0) }), "warnings": .array(warnings.map { .string($0) }),
    ]
  }

  /// The lines for an operator: one per series, with its tables where nothing was written yet.
  var lines: [String] {
    series.flatMap { [$0.line] + (isPreview ? $0.tableLines : []) }
      + (isPreview && !pruned.isEmpty ? ["\(pruned.count) files would go: nothing names them any more"] : [])
  }
}

extension SeriesReport {
  fileprivate var tableLines: [String] {
    tables.map { name in
      let changes = changes[name] ?? TableChanges()
      return "  \(name): \(changes.words)"
        + (rows[name].map { ", \($0) rows" } ?? "")
    }
  }
}

private func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
