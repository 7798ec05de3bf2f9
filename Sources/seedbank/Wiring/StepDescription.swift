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
      case .founded: ["\(series): \(version) founded"]
      case .changed: ["\(series): \(version), \(rowSummary)"]
      }
    let sizes = [
      deltaBytes.map { "delta of \($0) bytes" }, snapshotBytes.map { "snapshot of \($0) bytes" },
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
    let tables = changes.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return [
      "series": .string("\(series)"),
      "outcome": .string(outcome.rawValue),
      "version": version.map { .integer(Int64($0.number)) } ?? .null,
      "deltaBytes": deltaBytes.map { .integer(Int64($0)) } ?? .null,
      "snapshotBytes": snapshotBytes.map { .integer(Int64($0)) } ?? .null,
      "repair": repair.map { .string($0) } ?? .null,
      "tables": .object(
        tables.map { name, changes in
          JSONMember(
            name,
            [
              "inserted": .integer(Int64(changes.inserted)), "updated": .integer(Int64(changes.updated)),
              "deleted": .integer(Int64(changes.deleted)),
            ])
        }),
    ]
  }
}
