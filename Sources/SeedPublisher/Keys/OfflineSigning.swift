package import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
package import SeedTrust

/// Work with keys on a machine without a deployment.
package enum OfflineSigning {
  /// Creates a key file and a file with the public key.
  package static func makeKey(
    _ role: KeyRole, in folder: String
  ) throws -> (keyID: String, path: String, publicPath: String) {
    let key = SigningKey.generate()
    let keyID = key.publicKey.keyID
    let tag = String(keyID.prefix(KeyFileName.tagLength))
    let path = "\(folder)/\(KeyFileName(role, tag: tag).text)"
    let publicPath = "\(folder)/\(role.rawValue)-\(tag).pub"
    try KeyFile.write(key, toNewFile: path)
    try DurableFile.write(PublicKeyFile.document(key.publicKey), to: publicPath)
    return (keyID, path, publicPath)
  }

  /// Signs an exported payload, and describes it.
  package static func sign(
    _ payload: String, keyFile: String
  ) throws -> (signature: SignatureFile, summary: [String]) {
    let bytes = try File(payload, for: .readingAny).readAll(limit: Limits.metadataBytes)
    let summary = try summary(of: bytes, file: payload)
    let key = try KeyFile(reading: keyFile, for: .readingAny).key
    return (SignatureFile(signing: bytes, with: key), summary)
  }

  static func summary(of bytes: [UInt8], file: String) throws(Refusal) -> [String] {
    guard let signed = try? JSONValue(parsing: bytes), (try? CanonicalJSON.bytes(of: signed)) == bytes,
      let type = signed["_type"]?.string, let version = signed["version"]?.integer,
      let expires = signed["expires"]?.string, [Root.type, Targets.type].contains(type)
    else {
      throw Refusal(
        .badData,
        "\(file): expected the output of 'seedbank keys payload', found something else. Nothing was signed.")
    }
    let roles = (signed["roles"]?.members ?? []).map { role in
      let ids = (role.value["keyids"]?.elements ?? []).compactMap(\.string)
      let tags = ids.map { String($0.prefix(KeyFileName.tagLength)) }.joined(separator: ", ")
      return "  \(role.name): \(role.value["threshold"]?.integer ?? 0) of \(tags)"
    }
    return ["Signs \(type) \(version), valid until \(expires)."] + roles
  }
}

package struct SignatureFile {
  /// Nil for a bare signature, as made by a hardware token's tool.
  let keyID: String?
  let hex: String

  private static let byteLimit = 4096

  init(signing bytes: [UInt8], with key: SigningKey) {
    keyID = key.publicKey.keyID
    hex = lowerHex(key.sign(bytes))
  }

  init(readingFile path: String) throws {
    let bytes = try File(path, for: .readingAny).readAll(limit: Self.byteLimit)
    if bytes.count == PublicKey.signatureByteCount {
      (keyID, hex) = (nil, lowerHex(bytes))
      return
    }
    guard let json = try? JSONValue(parsing: bytes), let keyID = json["keyid"]?.string,
      let hex = json["sig"]?.string
    else {
      throw Refusal(
        .badData, "\(path): expected the output of 'seedbank keys sign', or a signature of 64 bytes.")
    }
    (self.keyID, self.hex) = (keyID, hex)
  }

  package var json: JSONValue { ["keyid": JSONValue(keyID), "sig": .string(hex)] }
}
