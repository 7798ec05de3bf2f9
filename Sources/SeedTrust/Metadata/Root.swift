package import SeedFormat

/// TUF's root role: which keys speak for whom.
package struct Root: SignedRole {
  package static let type = "root"
  package var header: RoleHeader
  /// All keys by id.
  package let keys: [String: RoleKey]
  /// Whose signatures each top-level role needs.
  package let roles: [String: RoleKeys]
  /// Whether metadata files have their version, and targets their hash, in the name.
  package var consistentSnapshot: Bool { statedConsistentSnapshot ?? false }
  /// `nil` where the file does not say: what is absent must stay so when the file is written again.
  private let statedConsistentSnapshot: Bool?

  /// The roles that every root names.
  package static let topLevelRoles = [Root.type, Targets.type, SnapshotRole.type, Timestamp.type]

  /// For new metadata: `roles` by name.
  package init(header: RoleHeader, roles verifiers: [String: RoleVerifiers]) {
    self.header = header
    keys = RoleVerifiers.keysByID(verifiers.values)
    roles = verifiers.mapValues(RoleKeys.init)
    statedConsistentSnapshot = true
  }

  /// Each role's keys, as new metadata would name them again; keys of other kinds are left out.
  package var verifiers: [String: RoleVerifiers] {
    roles.mapValues { role in
      RoleVerifiers(role.keyIDs.compactMap { keys[$0]?.publicKey }, threshold: role.threshold)
    }
  }

  package init(reading fields: inout FieldReader) throws(Malformation) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    keys = try fields.dictionary("keys") { key throws(Malformation) in try RoleKey(reading: &key) }
    roles = try fields.dictionary("roles") { role throws(Malformation) in try RoleKeys(reading: &role) }
    for name in Self.topLevelRoles where roles[name] == nil {
      throw fields.error("roles", "the role \(name) is missing")
    }
    statedConsistentSnapshot = try fields.boolIfPresent("consistent_snapshot")
  }

  package var members: [JSONMember] {
    .init(
      ("consistent_snapshot", statedConsistentSnapshot.map { .bool($0) }), ("keys", JSONValue(keys, \.json)),
      ("roles", JSONValue(roles) { .object($0.members) }))
  }
}
