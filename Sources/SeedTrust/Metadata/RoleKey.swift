import SeedFormat

/// A key as metadata lists it. Kinds that are not known here are kept, and verify nothing.
package struct RoleKey: Hashable, Sendable {
  private let members: [JSONMember]
  /// The key, where it is well-formed and of a known kind.
  package let verificationKey: VerificationKey?

  /// The key, where it is an Ed25519 one.
  package var publicKey: PublicKey? {
    if case .ed25519(let key) = verificationKey { key } else { nil }
  }

  /// An entry for a key of ours.
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

/// Whose signatures a role needs, and how many.
package struct RoleKeys: Hashable, Sendable {
  /// The keys that count; no id occurs twice.
  package let keyIDs: [String]
  /// How many of them must have signed, at least one.
  package let threshold: Int
  private let other: [JSONMember]

  /// For new metadata.
  package init(_ verifiers: RoleVerifiers) {
    keyIDs = verifiers.keys.map(\.keyID)
    threshold = verifiers.threshold
    other = []
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    self = try Self.taken(from: &fields, other: { $0.unread })
  }

  /// For a delegation, whose object holds these two fields among others.
  init(readingWithin fields: inout JSONObjectReader) throws(MalformedJSON) {
    self = try Self.taken(from: &fields, other: { _ in [] })
  }

  private init(_ keyIDs: [String], _ threshold: Int, _ other: [JSONMember]) {
    self.keyIDs = keyIDs
    self.threshold = threshold
    self.other = other
  }

  private static func taken(
    from fields: inout JSONObjectReader, other: (JSONObjectReader) -> [JSONMember]
  ) throws(MalformedJSON) -> RoleKeys {
    let keyIDs = try fields.strings("keyids")
    guard Set(keyIDs).count == keyIDs.count else { throw fields.error("keyids", "a key id occurs twice") }
    let threshold = try fields.integer("threshold", from: 1)
    return RoleKeys(keyIDs, threshold, other(fields))
  }

  var members: [JSONMember] {
    .init(("keyids", JSONValue(strings: keyIDs)), ("threshold", JSONValue(threshold))) + other
  }
}
