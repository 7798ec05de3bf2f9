import SeedFormat

/// RFC 7468's textual encoding, of public keys alone.
enum PEM {
  /// Bytes of a text; an RSA key of 8192 bits takes 1,500.
  static let byteLimit = 4096

  private static let firstLine = "-----BEGIN PUBLIC KEY-----"
  private static let lastLine = "-----END PUBLIC KEY-----"

  /// The bytes between the two lines that mark a public key, or `nil`.
  static func publicKey(in text: String) -> [UInt8]? {
    guard text.utf8.count <= byteLimit else { return nil }
    let lines = text.split { $0 == "\n" || $0 == "\r\n" }
    guard lines.count > 2, lines.first == firstLine[...], lines.last == lastLine[...] else { return nil }
    return Base64.decode(lines.dropFirst().dropLast().joined())
  }
}
