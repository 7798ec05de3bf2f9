package import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
package import SeedTrust

/// Makes keys and signs metadata on a machine without a deployment.
package enum OfflineSigning {
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
      let summary = try? summary(of: signed)
    else {
      throw Refusal(
        .badData,
        "\(file): expected the output of 'seedbank keys payload', found something else. Nothing was signed.")
    }
    return summary
  }

  /// Returns `nil` if the metadata lists a key under a wrong id.
  private static func summary(of signed: JSONValue) throws -> [String]? {
    var fields = try JSONObjectReader(signed, at: "signed")
    guard signed["_type"]?.string == Targets.type else {
      let root = try Root(reading: &fields)
      return lines(root, root.roles.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
    let targets = try Targets(reading: &fields)
    return lines(targets, (targets.delegations?.roles ?? []).map { ($0.title, $0.keys) })
  }

  /// Prints whole key ids, because an attacker can easily generate a key whose id begins with the same digits.
  private static func lines(_ role: some SignedRole, _ named: [(String, RoleKeys)]) -> [String]? {
    guard role.keysByID.allSatisfy({ id, key in key.publicKey?.keyID == id }) else { return nil }
    let type = Swift.type(of: role).type
    return ["Signs \(type) \(role.version), valid until \(role.expires)."]
      + named.flatMap { name, keys in ["  \(name): \(keys.threshold) of"] + keys.keyIDs.map { "    \($0)" } }
  }
}

extension Delegations.Role {
  fileprivate var title: String {
    guard case .patterns(let patterns) = paths else { return "\(name) (by hash)" }
    return "\(name) (\(patterns.joined(separator: ", ")))"
  }
}

package struct SignatureFile {
  /// Nil for a bare signature, such as one made by a hardware token's tool.
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
