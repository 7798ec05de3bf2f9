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
      case .founded: ["\(series): \(version) founded, \(rows.values.reduce(0, +)) rows"]
      case .changed: ["\(series): \(version), \(rowSummary)"]
      }
    let sizes = [
      deltaBytes.map { "delta of \($0) bytes" },
      merged.isEmpty ? nil : "merged \(merged.map(\.description).joined(separator: " and "))",
      snapshotBytes.map { "snapshot of \($0) bytes" } ?? (hasSnapshot ? "snapshot" : nil),
      repair.map { "working copy made anew because \($0)" },
    ]
    return (parts + sizes.compactMap(\.self)).joined(separator: ", ")
  }

  private var rowSummary: String {
    let totals = changes.values.reduce(into: (0, 0, 0)) {
      $0 = ($0.0 + $1.inserted, $0.1 + $1.updated, $0.2 + $1.deleted)
    }
    return "\(totals.0) inserted, \(totals.1) updated, \(totals.2) deleted"
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
      "repair": repair.map { .string($0) } ?? .null,
      "tables": .object(tables.map { JSONMember($0, table($0)) }),
    ]
  }

  private var tables: [String] {
    Set(changes.filter { !$0.value.isEmpty }.keys).union(outcome == .founded ? Array(rows.keys) : []).sorted()
  }

  private func table(_ name: String) -> JSONValue {
    let changes = changes[name] ?? TableChanges()
    return [
      "rows": rows[name].map(number) ?? .null, "inserted": number(changes.inserted),
      "updated": number(changes.updated), "deleted": number(changes.deleted),
    ]
  }
}

extension StepReport {
  /// What is said of the dataset beside its series, for a script.
  func json(_ dataset: DatasetName) -> JSONValue {
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
      return "  \(name): \(changes.inserted) inserted, \(changes.updated) updated, \(changes.deleted) deleted"
        + (rows[name].map { ", \($0) rows" } ?? "")
    }
  }
}

private func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
