/// A key that verifies signatures over metadata. Two entries for the same key are equal, however they spell it.
package enum VerificationKey: Hashable, Sendable {
  /// The only kind that a publication of ours uses.
  case ed25519(PublicKey)
  /// The kinds of other publishers.
  case pem(PEMKey)

  /// Reads what metadata says of a key; `nil` where the kind is unknown or the text is not such a key.
  init?(keytype: String, scheme: String, text: String) {
    if keytype == "ed25519" && scheme == "ed25519" {
      guard let key = try? PublicKey(hex: text) else { return nil }
      self = .ed25519(key)
    } else {
      guard let key = PEMKey(keytype: keytype, scheme: scheme, pem: text) else { return nil }
      self = .pem(key)
    }
  }

  /// Whether `signature` over `message` was made with this key's secret half.
  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .ed25519(let key): key.verify(signature, of: message)
    case .pem(let key): key.verify(signature, of: message)
    }
  }
}
