import SeedTrust

// An Ed25519 key in the platform's library. It lives for one call only, because it holds a copy of the secret.
#if canImport(CCrypto)
import CCrypto

struct Ed25519PrivateKey: ~Copyable {
  private let key: OpaquePointer

  init(seed: UnsafeRawBufferPointer) {
    CryptoLibrary.prepare()
    let bytes = seed.assumingMemoryBound(to: UInt8.self)
    let key = EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, bytes.baseAddress, bytes.count)
    guard let key else { preconditionFailure("OpenSSL rejected a key of 32 bytes") }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  var publicKey: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
    var count = bytes.count
    let status = EVP_PKEY_get_raw_public_key(key, &bytes, &count)
    precondition(status == 1, "OpenSSL failed to derive the public key")
    return bytes
  }

  func sign(_ message: [UInt8]) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: PublicKey.signatureByteCount)
    var count = signature.count
    // Fails only if memory is exhausted.
    let isSigned =
      EVP_DigestSignInit(context, nil, nil, nil, key) == 1
      && EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    precondition(isSigned, "OpenSSL failed to sign")
    return signature
  }
}
#else
import enum CryptoKit.Curve25519
import Foundation

struct Ed25519PrivateKey {
  private let key: Curve25519.Signing.PrivateKey

  init(seed: UnsafeRawBufferPointer) {
    do {
      key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    } catch { preconditionFailure("CryptoKit rejected a key of 32 bytes") }
  }

  var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// Returns a randomised signature, unlike RFC 8032's.
  func sign(_ message: [UInt8]) -> [UInt8] {
    do {
      return try Array(key.signature(for: message))
    } catch { preconditionFailure("CryptoKit failed to sign: \(error)") }
  }
}
#endif
