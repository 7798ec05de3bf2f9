import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// `seedbank keys sign`: signs what `payload` exported, with nothing else at hand than a key.
struct PayloadSigning {
  private let payload: String
  private let key: String
  private let console: Console

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    let names = try arguments.paths("name", from: context.currentDirectory)
    let keys = try arguments.paths("key", from: context.currentDirectory)
    guard let key = keys.first, keys.count == 1 else {
      throw arguments.unsuitable("key", keys.joined(separator: " "), "the file of one key")
    }
    (payload, self.key, console) = (names[0], key, context.console)
  }

  func run() throws {
    let bytes = try DurableFile.read(payload, limit: Limits.metadataBytes)
    let summary = try PayloadSummary(bytes, file: payload)
    let key = try KeyFile(reading: key).key
    for line in summary.lines { console.note(line) }
    try console.result(SignatureFile(signing: bytes, with: key).json)
  }
}

/// What is about to be signed, for the person who holds the key.
struct PayloadSummary {
  let lines: [String]

  init(_ bytes: [UInt8], file: String) throws(CommandFailure) {
    guard let signed = try? JSONValue(parsing: bytes), (try? CanonicalJSON.bytes(of: signed)) == bytes,
      let type = signed["_type"]?.string, let version = signed["version"]?.integer,
      let expires = signed["expires"]?.string, [Root.type, Targets.type].contains(type)
    else {
      throw CommandFailure(
        .badData,
        "\(file): expected what 'seedbank keys payload' exports, found something else: nothing was signed.")
    }
    lines = ["Signs \(type) \(version), valid until \(expires)."] + Self.roles(signed)
  }

  private static func roles(_ signed: JSONValue) -> [String] {
    (signed["roles"]?.members ?? []).map { role in
      let ids = role.value["keyids"]?.elements?.compactMap(\.string) ?? []
      let threshold = role.value["threshold"]?.integer ?? 0
      return
        "  \(role.name): \(threshold) of \(ids.map { String($0.prefix(KeyFileName.tagLength)) }.joined(separator: ", "))"
    }
  }
}

/// A signature on its way from the machine of the key to the publisher.
struct SignatureFile {
  /// `nil` for the bare signature that a hardware token's own tool makes.
  let keyID: String?
  let hex: String

  private static let bareLength = PublicKey.signatureByteCount
  private static let byteLimit = 4096

  init(signing bytes: [UInt8], with key: SigningKey) {
    keyID = key.publicKey.keyID
    hex = lowerHex(key.sign(bytes))
  }

  /// Reads what `sign` prints, or 64 bytes.
  init(readingFile path: String) throws {
    let bytes = try DurableFile.read(path, limit: Self.byteLimit)
    if bytes.count == Self.bareLength {
      (keyID, hex) = (nil, lowerHex(bytes))
      return
    }
    guard let json = try? JSONValue(parsing: bytes), let keyID = json["keyid"]?.string,
      let hex = json["sig"]?.string
    else {
      throw CommandFailure(
        .badData, "\(path): expected what 'seedbank keys sign' prints, or a signature of 64 bytes.")
    }
    (self.keyID, self.hex) = (keyID, hex)
  }

  var json: JSONValue { ["keyid": JSONValue(keyID), "sig": .string(hex)] }
}
