package import SeedFormat
package import SeedSystem

/// A series that takes nothing from its origin, because an operator went back to an older version.
package struct SeriesHold: Hashable, Sendable {
  /// The version whose rows the head has again.
  package let version: Version
  /// When that was done.
  package let since: UTCTime

  /// A series that went back to `version` at `since`.
  package init(version: Version, since: UTCTime) {
    self.version = version
    self.since = since
  }

  /// `nil` where the object has no such member.
  init?(readingIfPresent name: String, in fields: inout JSONObjectReader) throws(MalformedJSON) {
    guard var object = try fields.objectIfPresent(name) else { return nil }
    version = try object.version("version")
    since = UTCTime(secondsSinceEpoch: try object.integer("since", from: 0))
  }

  var json: JSONValue {
    ["version": JSONValue(version.number), "since": JSONValue(since.secondsSinceEpoch)]
  }
}
