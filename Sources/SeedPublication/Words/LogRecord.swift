package import SeedFormat
package import SeedSystem
import SeedTrust

package enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Nothing changed.
  case debug
  case info
  /// A change that an operator may want to know about.
  case notice
  case warning
  case error

  package static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

package struct LogRecord: Hashable, Sendable {
  package let level: LogLevel
  package let message: String
  /// Details for programs, by name.
  package let fields: [JSONMember]

  package init(_ level: LogLevel, _ message: String, _ fields: [JSONMember] = []) {
    (self.level, self.message, self.fields) = (level, message, fields)
  }
}

package enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// `time=2026-08-01T12:00:00Z level=notice msg="a sentence" name=value`.
  case text
  /// The same members as one JSON object.
  case json

  /// Formats a record as one line without a line feed.
  package func line(_ record: LogRecord, at time: UTCTime) -> String {
    let members =
      [
        JSONMember("time", .string(time.text)), JSONMember("level", .string(record.level.rawValue)),
        JSONMember("msg", .string(record.message)),
      ] + record.fields
    switch self {
    case .json: return JSONValue.object(members).text
    case .text: return members.map { "\($0.name)=\(Self.plain($0.value))" }.joined(separator: " ")
    }
  }

  /// Quotes any value that is not a single plain word, so that a line splits at its spaces.
  private static func plain(_ value: JSONValue) -> String {
    guard let text = value.string else { return value.text }
    let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !quoted.contains($0) }
    return isWord ? text : value.text
  }

  private static let quoted: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "\\")]
}
