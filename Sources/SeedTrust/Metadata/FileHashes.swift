import SeedFormat

/// Hexadecimal digests of one file by the algorithm's name, as TUF lists them.
enum FileHashes {
  /// An algorithm whose digest does not match, or which is unknown here; `nil` where every digest matches.
  static func mismatch(in hashes: [String: String], of bytes: [UInt8]) -> String? {
    hashes.first { algorithm, digest in digest != Self.digest(of: bytes, algorithm) }?.key
  }

  private static func digest(of bytes: [UInt8], _ algorithm: String) -> String? {
    switch algorithm {
    case "sha256": SHA256Digest.of(bytes).hex
    case "sha512": lowerHex(sha512(bytes))
    default: nil
    }
  }
}

extension JSONObjectReader {
  mutating func hashes() throws(MalformedJSON) -> [String: String] {
    let object = try object("hashes")
    guard !object.unread.isEmpty else { throw error("hashes", "is empty") }
    var hashes: [String: String] = [:]
    for member in object.unread {
      guard let digest = member.value.string else { throw object.error(member.name, "expected a string") }
      guard hashes.updateValue(digest, forKey: member.name) == nil else {
        throw object.error(member.name, "occurs twice, spelled differently")
      }
    }
    return hashes
  }
}
