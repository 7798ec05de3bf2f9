#if canImport(CryptoKit)
// Imports single types, because CryptoKit has its own `SHA256Digest`.
import enum CryptoKit.Curve25519
import enum CryptoKit.P256
import struct CryptoKit.SHA256
import struct CryptoKit.SHA512
import Foundation
import Security

package enum CryptoLibrary { package static func prepare() {} }

/// Like the hasher in OpenSSL.swift. It may move between threads, but threads must not share it.
package struct SHA256Hasher: ~Copyable, @unchecked Sendable {
  private var state = SHA256()

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bufferPointer: bytes) }

  mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
    state.finalize().withUnsafeBytes { digest.copyMemory(from: $0) }
    state = SHA256()
  }
}

package func sha512(_ bytes: [UInt8]) -> [UInt8] { Array(SHA512.hash(data: bytes)) }

func verifyEd25519(_ signature: [UInt8], _ message: [UInt8], publicKey: [UInt8]) -> Bool {
  guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
  return key.isValidSignature(signature, for: message)
}

extension PEMKey {
  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    isRSA ? verifyPSS(signature, message) : verifyECDSA(signature, message)
  }

  private func verifyECDSA(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    guard let point = try? P256.Signing.PublicKey(x963Representation: key),
      let pair = try? P256.Signing.ECDSASignature(derRepresentation: signature)
    else { return false }
    return point.isValidSignature(pair, for: message)
  }

  private func verifyPSS(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    let attributes: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
    ]
    guard let rsaKey = SecKeyCreateWithData(Data(key) as CFData, attributes as CFDictionary, nil) else {
      return false
    }
    return SecKeyVerifySignature(
      rsaKey, .rsaSignatureMessagePSSSHA256, Data(message) as CFData, Data(signature) as CFData, nil)
  }
}
#endif
