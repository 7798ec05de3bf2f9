import SeedDatabase

/// What the parts of a log are called.
struct LogNames: Hashable {
  /// The schema in which the log of another schema lies.
  let schema: String
  private let suffix: String

  /// Bytes of a name beyond which PostgreSQL cuts it off.
  private static let mostBytes = 63

  init(of source: String) {
    suffix = source == "public" ? "" : "_\(source)"
    schema = Self.cut("seedbank\(suffix)")
  }

  /// The table that says which tables have a log.
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
  /// As a text in PostgreSQL's SQL, whatever `standard_conforming_strings` is.
  var literal: String {
    let doubled = replacing("'", with: "''")
    return contains("\\") ? " E'\(doubled.replacing("\\", with: "\\\\"))'" : "'\(doubled)'"
  }
}
