package import SeedFormat
import SeedSystem

package struct Delegations: Hashable, Sendable {
  package let keys: [String: RoleKey]
  /// The delegates in order of priority; names are unique.
  package let roles: [Role]

  package init(keys: [String: RoleKey], roles: [Role]) { (self.keys, self.roles) = (keys, roles) }

  /// Ignores any form of delegation other than a list of roles.
  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    keys = try fields.dictionary("keys", RoleKey.init(reading:))
    roles = fields.has("roles") ? try fields.list("roles", by: "name", \.name, Role.init(reading:)) : []
  }

  package subscript(name: String) -> Role? { roles.first { $0.name == name } }

  var json: JSONValue { ["keys": JSONValue(keys, \.json), "roles": .array(roles.map(\.json))] }

  package struct Role: Hashable, Sendable {
    package let name: String
    package let keys: RoleKeys
    /// If true, the search for a path of this role ends here.
    package let terminating: Bool
    package let paths: DelegatedPaths

    package init(name: String, keys: RoleKeys, terminating: Bool, paths: DelegatedPaths) {
      (self.name, self.keys, self.terminating, self.paths) = (name, keys, terminating, paths)
    }

    init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
      name = try fields.string("name")
      guard !name.isEmpty, !Root.topLevelRoles.contains(name) else {
        throw fields.error("name", "\"\(name)\" cannot be the name of a delegated role")
      }
      keys = try RoleKeys(reading: &fields)
      terminating = try fields.bool("terminating")
      paths = try DelegatedPaths(reading: &fields)
    }

    var json: JSONValue {
      .object(
        .init(("name", .string(name)), ("terminating", .bool(terminating))) + keys.members + [paths.member])
    }
  }
}

package enum DelegatedPaths: Hashable, Sendable {
  case patterns([String])
  /// Leading hexadecimal digits of the path's SHA-256.
  case hashPrefixes([String])

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    let hasPatterns = fields.has("paths")
    guard hasPatterns != fields.has("path_hash_prefixes") else {
      throw fields.error("paths", "expected one of paths and path_hash_prefixes")
    }
    self =
      hasPatterns
      ? .patterns(try fields.strings("paths")) : .hashPrefixes(try fields.strings("path_hash_prefixes"))
  }

  package func admit(_ path: String) -> Bool {
    switch self {
    case .patterns(let patterns): return patterns.contains(where: path.matches(shellPattern:))
    case .hashPrefixes(let prefixes):
      let digest = SHA256Digest.of(Array(path.utf8)).hex
      return prefixes.contains { digest.hasPrefix($0) }
    }
  }

  var member: JSONMember {
    switch self {
    case .patterns(let patterns): JSONMember("paths", JSONValue(strings: patterns))
    case .hashPrefixes(let prefixes): JSONMember("path_hash_prefixes", JSONValue(strings: prefixes))
    }
  }
}

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
    delegations = try fields.objectIfPresent("delegations", Delegations.init(reading:))
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
