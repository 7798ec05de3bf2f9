import SeedDatabase
import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust

enum OfflineSigning {
  /// `keys new`: creates a key file and a file with the public key.
  static func makeKey(_ arguments: ParsedArguments, _ context: Context) throws {
    let role = try arguments.keyRoles(KeyRole.allCases)[0]
    let folder = try arguments.path("to", from: context.currentDirectory) ?? context.currentDirectory
    let key = SigningKey.generate()
    let keyID = key.publicKey.keyID
    let tag = String(keyID.prefix(KeyFileName.tagLength))
    let path = "\(folder)/\(KeyFileName(role, tag: tag).text)"
    let publicPath = "\(folder)/\(role.rawValue)-\(tag).pub"
    try KeyFile.write(key, toNewFile: path)
    try DurableFile.write(PublicKeyFile.document(key.publicKey), to: publicPath)
    try context.console.result(
      ["keyid": .string(keyID), "file": .string(path), "public": .string(publicPath)],
      "\(keyID)\n\(path)\n\(publicPath)")
    guard !context.console.isJSON else { return }
    context.console.note(
      "The first file is secret. Bring the second one to the publisher, and use it there with"
        + " 'seedbank keys rotate \(role.rawValue) --key \(publicPath)'.")
  }

  /// `keys sign`: signs an exported payload and needs only a key.
  static func sign(_ arguments: ParsedArguments, _ context: Context) throws {
    let payload = try arguments.paths("name", from: context.currentDirectory)[0]
    let keys = try arguments.paths("key", from: context.currentDirectory)
    guard keys.count == 1 else {
      throw arguments.unsuitable("key", keys.joined(separator: " "), "the file of one key")
    }
    let bytes = try File(payload, for: .readingAny).readAll(limit: Limits.metadataBytes)
    let summary = try summary(of: bytes, file: payload)
    let key = try KeyFile(reading: keys[0], for: .readingAny).key
    for line in summary { context.console.note(line) }
    try context.console.result(SignatureFile(signing: bytes, with: key).json)
  }

  static func summary(of bytes: [UInt8], file: String) throws(CommandFailure) -> [String] {
    guard let signed = try? JSONValue(parsing: bytes), (try? CanonicalJSON.bytes(of: signed)) == bytes,
      let type = signed["_type"]?.string, let version = signed["version"]?.integer,
      let expires = signed["expires"]?.string, [Root.type, Targets.type].contains(type)
    else {
      throw CommandFailure(
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

extension ParsedArguments {
  func keyRoles(_ roles: [KeyRole]) throws(UsageError) -> [KeyRole] {
    var found: [KeyRole] = []
    for name in strings("name") {
      guard let role = roles.first(where: { $0.rawValue == name }), !found.contains(role) else {
        throw unsuitable("name", name, alternatives(roles.map(\.rawValue)))
      }
      found.append(role)
    }
    return found
  }
}

struct SignatureFile {
  /// Nil for a bare signature, as made by a hardware token's tool.
  let keyID: String?
  let hex: String

  private static let byteLimit = 4096

  init(signing bytes: [UInt8], with key: SigningKey) {
    keyID = key.publicKey.keyID
    hex = lowerHex(key.sign(bytes))
  }

  /// Reads the output of `sign`, or a bare signature.
  init(readingFile path: String) throws {
    let bytes = try File(path, for: .readingAny).readAll(limit: Self.byteLimit)
    if bytes.count == PublicKey.signatureByteCount {
      (keyID, hex) = (nil, lowerHex(bytes))
      return
    }
    guard let json = try? JSONValue(parsing: bytes), let keyID = json["keyid"]?.string,
      let hex = json["sig"]?.string
    else {
      throw CommandFailure(
        .badData, "\(path): expected the output of 'seedbank keys sign', or a signature of 64 bytes.")
    }
    (self.keyID, self.hex) = (keyID, hex)
  }

  var json: JSONValue { ["keyid": JSONValue(keyID), "sig": .string(hex)] }
}
