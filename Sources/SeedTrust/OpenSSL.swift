#if canImport(CCrypto)
import CCrypto

package enum CryptoLibrary {
  /// Disables OpenSSL's cleanup at exit, which would crash a thread that is still verifying. Must be the
  /// process's first call into OpenSSL.
  package static func prepare() { _ = isPrepared }

  private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

/// A reusable SHA-256 hasher for bytes in pieces. It may move between threads, but threads must not share it.
package struct SHA256Hasher: ~Copyable, @unchecked Sendable {
  private var state = SHA256_CTX()

  package init() { mustSucceed(SHA256_Init(&state)) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    mustSucceed(SHA256_Update(&state, bytes.baseAddress, bytes.count))
  }

  /// Writes 32 bytes and resets the state.
  mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
    mustSucceed(SHA256_Final(digest.assumingMemoryBound(to: UInt8.self).baseAddress, &state))
    mustSucceed(SHA256_Init(&state))
  }
}

package func sha512(_ bytes: [UInt8]) -> [UInt8] {
  CryptoLibrary.prepare()
  var digest = [UInt8](repeating: 0, count: 64)
  mustSucceed(EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha512(), nil))
  return digest
}

func verifyEd25519(_ signature: [UInt8], _ message: [UInt8], publicKey: [UInt8]) -> Bool {
  // A rejected signature leaves entries in the thread's error queue, which other code could take for its own errors.
  defer { ERR_clear_error() }
  return EVPKey(publicKey: publicKey).verify(signature, message, hash: nil)
}

private struct EVPKey: ~Copyable {
  private let pointer: OpaquePointer

  init(publicKey: [UInt8]) {
    CryptoLibrary.prepare()
    let pointer = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, publicKey, publicKey.count)
    guard let pointer else { preconditionFailure("OpenSSL rejected a key of 32 bytes") }
    self.pointer = pointer
  }

  init?(subjectPublicKeyInfo der: [UInt8]) {
    CryptoLibrary.prepare()
    let pointer = der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_PUBKEY(nil, &start, bytes.count)
    }
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { EVP_PKEY_free(pointer) }

  func verify(_ signature: [UInt8], _ message: [UInt8], hash: OpaquePointer?, isPSS: Bool = false) -> Bool {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    defer { EVP_MD_CTX_free(context) }
    var options: OpaquePointer?
    guard EVP_DigestVerifyInit(context, &options, hash, nil, pointer) == 1, !isPSS || Self.choosePSS(options)
    else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  private static func choosePSS(_ options: OpaquePointer?) -> Bool {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
  }
}

/// Traps on a failure. These calls fail only if memory runs out or there is a bug in this code, never because of input.
@inline(__always)
private func mustSucceed(_ status: Int32) {
  precondition(status == 1, "OpenSSL rejected a call that cannot fail")
}

extension PEMKey {
  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    // A rejected key or signature leaves entries in the thread's error queue; see `verifyEd25519`.
    defer { ERR_clear_error() }
    guard let key = EVPKey(subjectPublicKeyInfo: der) else { return false }
    return key.verify(signature, message, hash: EVP_sha256(), isPSS: isRSA)
  }
}
#endif
