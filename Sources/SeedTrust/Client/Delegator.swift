/// A role that names the keys of others: root for the top level, targets for delegates.
protocol Delegator: SignedRole {
  /// Whose signatures `role` needs, where this delegator names it.
  func roleKeys(of role: String) -> RoleKeys?
  /// The keys by id.
  var keysByID: [String: RoleKey] { get }
}

extension Root: Delegator {
  func roleKeys(of role: String) -> RoleKeys? { roles[role] }
  var keysByID: [String: RoleKey] { keys }
}

extension Targets: Delegator {
  func roleKeys(of role: String) -> RoleKeys? { delegations?[role]?.keys }
  var keysByID: [String: RoleKey] { delegations?.keys ?? [:] }
}

extension Metadata {
  /// Fails unless as many of the role's keys signed as its delegator asks for.
  func check(_ role: String, signedFor delegator: some Delegator) throws(TrustError) {
    guard let needed = delegator.roleKeys(of: role) else {
      throw .missingRole(role: role, place: type(of: delegator).type)
    }
    let found = signerCount(of: needed, among: delegator.keysByID)
    guard found >= needed.threshold else {
      throw .badSignature(role: role, found: found, needed: needed.threshold)
    }
  }
}
