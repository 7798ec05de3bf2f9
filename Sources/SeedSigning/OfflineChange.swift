package import SeedFormat
package import SeedSystem
package import SeedTrust

/// New root and targets metadata that collects signatures, possibly one at a time on other machines. The change takes
/// effect only when it is complete.
package struct OfflineChange: Hashable, Sendable {
  package private(set) var root: Metadata<Root>?
  package private(set) var targets: Metadata<Targets>?

  package init(root: Root? = nil, targets: Targets? = nil) throws(MalformedJSON) {
    if let root { self.root = try Metadata(unsigned: root) }
    if let targets { self.targets = try Metadata(unsigned: targets) }
  }

  private init() {}

  package static let none = OfflineChange()

  package var isEmpty: Bool { root == nil && targets == nil }

  package func names(_ keyID: String) -> Bool {
    root?.signed.keys[keyID] != nil || targets?.signed.delegations?.keys[keyID] != nil
  }

  func root(after published: PublishedMetadata) -> Root { root?.signed ?? published.root }

  /// Returns the unpublished part of the change; nil if newer metadata was published meanwhile.
  package func rest(after published: PublishedMetadata) -> OfflineChange? {
    var rest = self
    if root?.signed == published.root { rest.root = nil }
    let hasTargets = targets?.signed == published.targets
    // An unpublished root needs its targets metadata again, because only the change has the collected signatures.
    if hasTargets, rest.root == nil { rest.targets = nil }
    let isNewer =
      rest.root.map { $0.signed.version > published.root.version } ?? true
      && (hasTargets || rest.targets.map { $0.signed.version > published.targets.version } ?? true)
    return isNewer ? rest : nil
  }

  /// Returns the first role that has already expired because signing took too long.
  package func expired(at now: UTCTime) -> (role: KeyRole, expires: UTCTime)? {
    if let root, root.signed.expires <= now { return (.root, root.signed.expires) }
    if let targets, targets.signed.expires <= now { return (.targets, targets.signed.expires) }
    return nil
  }

  /// Returns the bytes to sign: the canonical form of the role's metadata. Nil if the role does not change.
  package func payload(_ role: KeyRole) -> [UInt8]? {
    switch role {
    case .root: root?.signedBytes
    case .targets: targets?.signedBytes
    default: nil
    }
  }

  // MARK: - Signatures

  /// Signs with every available key that the old or the new root requires.
  package mutating func sign(with keys: KeyRing, after published: PublishedMetadata) {
    for need in needs(after: published) {
      let signers = keys.signers(of: need.keys)
      if need.role == .root { root?.sign(with: signers) } else { targets?.sign(with: signers) }
    }
    // Also signs the targets with the old root's keys, for clients without the new root.
    if root != nil { targets?.sign(with: keys.signers(of: published.root.roles[Targets.type])) }
  }

  package mutating func add(
    _ signature: RoleSignature, to role: KeyRole, after published: PublishedMetadata
  ) throws(SignatureError) {
    var signed = self
    if role == .root { signed.root?.add(signature) } else { signed.targets?.add(signature) }
    let known = needs(after: published).filter { $0.role == role }
    guard known.contains(where: { $0.keys.keyIDs.contains(signature.keyID) }) else {
      throw .keyNotAsked(keyID: signature.keyID, role: role)
    }
    let counts = signed.needs(after: published).contains {
      $0.role == role && $0.signed.contains(signature.keyID)
    }
    guard counts else { throw .doesNotVerify(keyID: signature.keyID, role: role) }
    self = signed
  }

  package func needs(after published: PublishedMetadata) -> [SignatureNeed] {
    var needs: [SignatureNeed] = []
    if let root {
      let old = published.root
      if root.signed.follows(old) {
        needs.append(SignatureNeed(.root, root, by: old, "the keys of root \(old.version)"))
      }
      needs.append(SignatureNeed(.root, root, by: root.signed, "the keys of root \(root.signed.version)"))
    }
    if let targets {
      let next = self.root(after: published)
      needs.append(SignatureNeed(.targets, targets, by: next, "the targets keys of root \(next.version)"))
    }
    return needs
  }

  package func isComplete(after published: PublishedMetadata) -> Bool {
    needs(after: published).allSatisfy(\.isMet)
  }

  package enum SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    case keyNotAsked(keyID: String, role: KeyRole)
    case doesNotVerify(keyID: String, role: KeyRole)

    package var description: String {
      switch self {
      case .keyNotAsked(let keyID, let role):
        "the new \(role.rawValue) metadata needs no signature by the key \(keyID): "
          + "'seedbank keys status' lists the keys that it needs"
      case .doesNotVerify(let keyID, let role):
        "this is not a signature by the key \(keyID) over the pending \(role.rawValue) metadata: export the metadata again "
          + "with 'seedbank keys payload \(role.rawValue)', and sign exactly these bytes"
      }
    }
  }

  // MARK: - As a file

  package init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    if let value = fields.takeIfPresent(KeyRole.root.rawValue) { root = try Metadata(parsing: value.bytes) }
    if let value = fields.takeIfPresent(KeyRole.targets.rawValue) {
      targets = try Metadata(parsing: value.bytes)
    }
  }

  package var bytes: [UInt8] {
    JSONValue.object(
      .init((KeyRole.root.rawValue, root?.json), (KeyRole.targets.rawValue, targets?.json))
    ).bytes
  }
}

package struct SignatureNeed: Hashable, Sendable {
  package let role: KeyRole
  package let keys: RoleKeys
  package let signed: Set<String>
  package let whose: String

  init<Role>(_ role: KeyRole, _ metadata: Metadata<Role>, by root: Root, _ whose: String) {
    self.role = role
    self.whose = whose
    keys = root.roles[role.rawValue] ?? RoleKeys(RoleVerifiers([]))
    signed = Set(metadata.signers(of: keys, among: root.keysByID).keys)
  }

  package var isMet: Bool { signed.count >= keys.threshold }
}
