#if canImport(CCrypto)
import CCrypto

extension SubjectPublicKeyInfo {
  /// Whether the signature is this key's; also false where OpenSSL refuses the key.
  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    // What was refused leaves entries in the thread's error queue, where the next user would find them.
    defer { ERR_clear_error() }
    guard let key = EVPKey(subjectPublicKeyInfo: der) else { return false }
    let context = MessageContext()
    var options: OpaquePointer?
    guard EVP_DigestVerifyInit(context.pointer, &options, EVP_sha256(), nil, key.pointer) == 1,
      algorithm == .ecdsaP256 || Self.choosePSS(options)
    else { return false }
    return EVP_DigestVerify(context.pointer, signature, signature.count, message, message.count) == 1
  }

  private static func choosePSS(_ options: OpaquePointer?) -> Bool {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
  }
}
#endif
