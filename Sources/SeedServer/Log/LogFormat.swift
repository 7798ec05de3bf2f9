import SeedFormat
package import SeedSystem
import SeedTrust

/// What the log's lines look like.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// `time=2026-08-01T12:00:00Z level=notice msg="a sentence" name=value`.
  case text
  /// The same members as one JSON object.
  case json

  /// A record's line, without the line feed.
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

  /// A word stands as it is; what a reader could take for more than one value, in quotation marks.
  private static func plain(_ value: JSONValue) -> String {
    guard let text = value.string else { return value.text }
    let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !quoted.contains($0) }
    return isWord ? text : value.text
  }

  private static let quoted: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "\\")]
}
