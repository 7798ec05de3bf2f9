import SeedFormat

/// The use of a key: one of TUF's top-level roles, or the roles of all series.
package enum KeyRole: String, CaseIterable, Hashable, Sendable {
  /// Names the keys of the top-level roles.
  case root
  /// Names the keys of the series.
  case targets
  /// Signs each series' versions, snapshots and deltas.
  case series
  /// Signs the list of the metadata versions that belong together.
  case snapshot
  /// Signs, at short intervals, the version of the newest TUF snapshot role.
  case timestamp

  /// Whether publishing works without a key of this role, so the operator can keep it on another machine.
  package var isOffline: Bool { self == .root || self == .targets }

  /// Whether root metadata lists the role's keys. Only the series' keys are elsewhere, in targets metadata.
  package var isInRoot: Bool { self != .series }
}

package struct RoleKeys: Hashable, Sendable {
  /// The accepted key ids, without duplicates.
  package let keyIDs: [String]
  package let threshold: Int

  package init(_ verifiers: RoleVerifiers) {
    keyIDs = verifiers.keys.map(\.keyID)
    threshold = verifiers.threshold
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    keyIDs = try fields.strings("keyids")
    guard Set(keyIDs).count == keyIDs.count else { throw fields.error("keyids", "a key id occurs twice") }
    threshold = try fields.integer("threshold", from: 1)
  }

  var members: [JSONMember] {
    .init(("keyids", JSONValue(strings: keyIDs)), ("threshold", JSONValue(threshold)))
  }
}

package struct RoleVerifiers: Hashable, Sendable {
  package let keys: [PublicKey]
  package let threshold: Int

  package init(_ keys: [PublicKey], threshold: Int = 1) { (self.keys, self.threshold) = (keys, threshold) }

  package static func keysByID(_ roles: some Sequence<RoleVerifiers>) -> [String: RoleKey] {
    let pairs = roles.flatMap(\.keys).map { ($0.keyID, RoleKey($0)) }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}

/// A key in metadata. Unknown kinds are kept but verify nothing.
package struct RoleKey: Hashable, Sendable {
  private let members: [JSONMember]
  /// The key if it is well-formed and of a known kind.
  package let verificationKey: VerificationKey?

  package var publicKey: PublicKey? { if case .ed25519(let key) = verificationKey { key } else { nil } }

  package init(_ key: PublicKey) {
    members = .init(
      ("keytype", "ed25519"), ("scheme", "ed25519"), ("keyval", .object(.init(("public", .string(key.hex))))))
    verificationKey = .ed25519(key)
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    members = fields.unread
    let keytype = try fields.string("keytype")
    let scheme = try fields.string("scheme")
    var values = try fields.object("keyval")
    let text = try values.stringIfPresent("public")
    verificationKey = text.flatMap { VerificationKey(keytype: keytype, scheme: scheme, text: $0) }
  }

  var json: JSONValue { .object(members) }
}

/// A key that verifies signatures over metadata. Different spellings of one key are equal.
package enum VerificationKey: Hashable, Sendable {
  /// The only kind in Seedbank's publications.
  case ed25519(PublicKey)
  /// The kinds in other publishers' metadata.
  case pem(PEMKey)

  init?(keytype: String, scheme: String, text: String) {
    let key =
      (keytype, scheme) == ("ed25519", "ed25519")
      ? (try? PublicKey(hex: text)).map(Self.ed25519)
      : PEMKey(keytype: keytype, scheme: scheme, pem: text).map(Self.pem)
    guard let key else { return nil }
    self = key
  }

  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .ed25519(let key): key.verify(signature, of: message)
    case .pem(let key): key.verify(signature, of: message)
    }
  }
}
