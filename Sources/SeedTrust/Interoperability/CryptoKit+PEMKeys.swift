#if canImport(CryptoKit)
import enum CryptoKit.P256
import Foundation
import Security

extension SubjectPublicKeyInfo {
  /// Whether the signature is this key's; also false where the system refuses the key.
  func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch algorithm {
    case .ecdsaP256: verifyECDSA(signature, message)
    case .rsa: verifyPSS(signature, message)
    }
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
