import SeedFormat

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
    if keytype == "ed25519" && scheme == "ed25519" {
      guard let key = try? PublicKey(hex: text) else { return nil }
      self = .ed25519(key)
    } else {
      guard let key = PEMKey(keytype: keytype, scheme: scheme, pem: text) else { return nil }
      self = .pem(key)
    }
  }

  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .ed25519(let key): key.verify(signature, of: message)
    case .pem(let key): key.verify(signature, of: message)
    }
  }
}
