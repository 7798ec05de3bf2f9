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
      case .changed: ["\(series): \(version), \(changes.words)"]
      }
    let sizes = [
      deltaBytes.map { "delta of \($0) bytes" }, snapshotBytes.map { "snapshot of \($0) bytes" },
      repair.map { "working copy made anew because \($0)" },
    ]
    return (parts + sizes.compactMap(\.self)).joined(separator: ", ")
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
      "snapshotBytes": snapshotBytes.map { .integer(Int64($0)) } ?? .null,
      "repair": repair.map { .string($0) } ?? .null,
      "tables": changes.json,
    ]
  }
}
