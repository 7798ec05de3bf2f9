package import SeedFormat

/// TUF's root role: the keys of all top-level roles.
package struct Root: SignedRole {
  package static let type = "root"
  /// If the old root's keys are lost, the new root skips this many versions, so old clients never find it.
  package static let gapAfterLoss = 1000
  package var header: RoleHeader
  package let keys: [String: RoleKey]
  package let roles: [String: RoleKeys]
  /// Whether the name of a metadata file contains its version, and the name of a target its hash.
  package let consistentSnapshot: Bool

  /// The roles that every root must name.
  package static let topLevelRoles = [Root.type, Targets.type, SnapshotRole.type, Timestamp.type]

  package init(header: RoleHeader, roles verifiers: [KeyRole: RoleVerifiers]) {
    self.init(
      header: header, keys: RoleVerifiers.keysByID(verifiers.values),
      roles: Dictionary(uniqueKeysWithValues: verifiers.map { ($0.key.rawValue, RoleKeys($0.value)) }))
  }

  /// Creates the root after `former`, with different keys for these roles; drops keys without a role.
  package init(header: RoleHeader, replacing verifiers: [KeyRole: RoleVerifiers], of former: Root) {
    let replaced = verifiers.map { ($0.key.rawValue, RoleKeys($0.value)) }
    let roles = former.roles.merging(replaced) { $1 }
    let keys = former.keys.merging(RoleVerifiers.keysByID(verifiers.values)) { first, _ in first }
    let named = Set(roles.values.flatMap(\.keyIDs))
    self.init(header: header, keys: keys.filter { named.contains($0.key) }, roles: roles)
  }

  private init(header: RoleHeader, keys: [String: RoleKey], roles: [String: RoleKeys]) {
    (self.header, self.keys, self.roles, consistentSnapshot) = (header, keys, roles, true)
  }

  /// False for a root with a far higher version, which starts a separate chain because the old keys are lost.
  package func follows(_ former: Root) -> Bool { version == former.version + 1 }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    keys = try fields.dictionary("keys", RoleKey.init(reading:))
    roles = try fields.dictionary("roles", RoleKeys.init(reading:))
    for name in Self.topLevelRoles where roles[name] == nil {
      throw fields.error("roles", "the role \(name) is missing")
    }
    consistentSnapshot = try fields.boolIfPresent("consistent_snapshot") ?? false
  }

  package func roleKeys(of role: String) -> RoleKeys? { roles[role] }
  package var keysByID: [String: RoleKey] { keys }

  package var members: [JSONMember] {
    .init(
      ("consistent_snapshot", .bool(consistentSnapshot)), ("keys", JSONValue(keys, \.json)),
      ("roles", JSONValue(roles) { .object($0.members) }))
  }
}
