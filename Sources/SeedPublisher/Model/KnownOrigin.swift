import SeedFormat
package import SeedSystem

/// A file with the origin's contents at the newest model's creation, without which additions are not reported.
package enum KnownOrigin {
  static let fileName = "known-origin.json"

  private static let comment =
    "The origin's tables when the newest model was made. Seedbank reports later additions."
    + " Made by 'seedbank init' and 'seedbank model'."

  package static func path(inDataset folder: String) -> String { "\(folder)/\(fileName)" }

  static func text(_ outline: OriginOutline) -> String {
    JSONValue.object([JSONMember("$comment", .string(comment))] + (outline.json.members ?? [])).prettyText
  }

  /// Records the origin's contents, so that later additions are reported.
  package static func write(_ outline: OriginOutline, inDataset folder: String) throws(FileError) {
    try DurableFile.write(Array(text(outline).utf8), to: path(inDataset: folder))
  }
}
