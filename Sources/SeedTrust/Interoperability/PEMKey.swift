/// A public key that metadata gives as PEM: ECDSA over P-256, or RSA.
package struct PEMKey: Hashable, Sendable {
  private let info: SubjectPublicKeyInfo

  /// Reads the PEM of a key of a known kind, else `nil`.
  init?(keytype: String, scheme: String, pem: String) {
    guard let bytes = PEM.publicKey(in: pem), let info = SubjectPublicKeyInfo(bytes) else { return nil }
    switch (keytype, scheme, info.algorithm) {
    case ("ecdsa", "ecdsa-sha2-nistp256", .ecdsaP256),
      ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", .ecdsaP256), ("rsa", "rsassa-pss-sha256", .rsa):
      self.info = info
    default: return nil
    }
  }

  /// Whether `signature` over `message` was made with this key's secret half.
  ///
  /// SHA-256 in both schemes. An RSA signature has a salt as long as the digest, the only length that Apple's
  /// Security framework verifies.
  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    info.verify(signature, of: message)
  }
}
