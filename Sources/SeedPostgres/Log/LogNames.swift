import SeedDatabase

struct LogNames: Hashable {
  /// The schema with the log of another schema.
  let schema: String
  private let suffix: String

  /// PostgreSQL truncates longer names.
  private static let mostBytes = 63

  init(of source: String) {
    suffix = source == "public" ? "" : "_\(source)"
    schema = Self.cut("seedbank\(suffix)")
  }

  var registry: String { "\(quoted(schema)).logged" }

  func log(_ number: Int) -> String { "\(quoted(schema)).log_\(number)" }

  func function(_ event: LogTrigger.Event, _ number: Int) -> String { "\(log(number))_\(event.rawValue)" }

  func trigger(_ event: LogTrigger.Event) -> String {
    quoted(Self.cut("seedbank_\(event.rawValue)\(suffix)"))
  }

  private static func cut(_ name: String) -> String {
    var name = name
    while name.utf8.count > mostBytes { name.removeLast() }
    return name
  }
}

extension String {
  /// An SQL literal, whatever the value of `standard_conforming_strings`.
  var literal: String {
    let doubled = replacing("'", with: "''")
    return contains("\\") ? " E'\(doubled.replacing("\\", with: "\\\\"))'" : "'\(doubled)'"
  }
}
