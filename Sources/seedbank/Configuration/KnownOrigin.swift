import SeedFormat
import SeedPublisher
import SeedSystem

/// A file with the origin's contents at the newest model's creation, without which additions are not reported.
enum KnownOrigin {
  static let fileName = "known-origin.json"

  private static let comment =
    "The origin's tables when the newest model was made. Seedbank reports later additions."
    + " Made by 'seedbank init' and 'seedbank model'."

  static func path(inDataset folder: String) -> String { "\(folder)/\(fileName)" }

  static func text(_ outline: OriginOutline) -> String {
    JSONValue.object([JSONMember("$comment", .string(comment))] + (outline.json.members ?? [])).prettyText
  }

  static func read(inDataset folder: String) throws(ConfigurationError) -> OriginOutline? {
    let path = path(inDataset: folder)
    guard Folder.exists(path) else { return nil }
    let bytes = try TextFile.bytes(path)
    do throws(MalformedJSON) {
      return try OriginOutline(parsed(bytes))
    } catch { throw ConfigurationError(error, in: path, bytes) }
  }

  private static func parsed(_ bytes: [UInt8]) throws(MalformedJSON) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch { throw .syntax(error) }
  }
}
