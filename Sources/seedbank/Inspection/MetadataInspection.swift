import SeedFormat
import SeedTrust

/// What a metadata file of a publication says. Its signatures are counted, not verified.
enum MetadataInspection {
  /// `nil` where the document is no metadata.
  static func findings(_ document: [UInt8]) -> [JSONMember]? {
    guard let tree = try? JSONValue(parsing: document), let signed = tree["signed"],
      let signatures = tree["signatures"]?.elements
    else { return nil }
    let facts = [
      ("role", signed["_type"]), ("version", signed["version"]), ("expires", signed["expires"]),
      ("signatures", .integer(Int64(signatures.count))),
      ("delegates", signed["delegations"]?["roles"]?.elements.map(names)),
      ("lists", signed["meta"]?.members.map(versions)),
    ]
    let members = facts.compactMap { name, value in value.map { JSONMember(name, $0) } }
    return [JSONMember("kind", "metadata")] + members + series(signed)
  }

  private static func names(_ roles: [JSONValue]) -> JSONValue { .array(roles.compactMap { $0["name"] }) }

  private static func versions(_ files: [JSONMember]) -> JSONValue {
    .object(files.map { JSONMember($0.name, $0.value["version"] ?? .null) })
  }

  /// What a series' role says of its series.
  private static func series(_ signed: JSONValue) -> [JSONMember] {
    guard let state = signed["seedbank"], let targets = signed["targets"]?.members else { return [] }
    let sizes = targets.map { JSONMember($0.name, $0.value["length"] ?? .null) }
    return [JSONMember("series", state), JSONMember("objects", .object(sizes))]
  }
}
