package import SeedFormat

/// TUF's targets role, top-level or delegated: files and delegations.
package struct Targets: SignedRole {
  package static let type = "targets"
  package var header: RoleHeader
  package let targets: [String: TargetFile]
  package let delegations: Delegations?

  package init(header: RoleHeader, targets: [String: TargetFile], delegations: Delegations? = nil) {
    (self.header, self.targets, self.delegations) = (header, targets, delegations)
  }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    targets = try fields.dictionary("targets", TargetFile.init(reading:))
    delegations = try fields.objectIfPresent("delegations").map { object throws(MalformedJSON) in
      var object = object
      return try Delegations(reading: &object)
    }
  }

  package func roleKeys(of role: String) -> RoleKeys? { delegations?[role]?.keys }
  package var keysByID: [String: RoleKey] { delegations?.keys ?? [:] }

  package var members: [JSONMember] {
    .init(("targets", JSONValue(targets, \.json)), ("delegations", delegations?.json))
  }
}

package struct TargetFile: Hashable, Sendable {
  package let length: Int
  package let hashes: [String: String]
  package let custom: JSONValue?

  package init(length: Int, sha256: SHA256Digest, custom: JSONValue? = nil) {
    self.length = length
    hashes = ["sha256": sha256.hex]
    self.custom = custom
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    length = try fields.integer("length", from: 0)
    hashes = try fields.hashes()
    custom = fields.takeIfPresent("custom")
  }

  var json: JSONValue {
    .object(
      .init(
        ("length", JSONValue(length)), ("hashes", JSONValue(hashes, JSONValue.string)), ("custom", custom)))
  }
}
