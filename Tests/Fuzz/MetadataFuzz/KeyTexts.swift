import SeedFormat
import SeedTrust

/// A root with fuzzed keys, and a timestamp that none of them signed.
struct KeyTexts {
  private static let kinds = [
    ("ed25519", "ed25519"), ("ecdsa", "ecdsa-sha2-nistp256"), ("rsa", "rsassa-pss-sha256"),
  ]
  private static let header = #""spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z""#
  private static let signatures =
    [String(repeating: "01", count: 64), "3006020101020101"]
    + [256, 384, 512].map { String(repeating: "01", count: $0) }

  /// As text, and as the DER of a PEM.
  func read(_ bytes: [UInt8]) {
    let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(bytes))\n-----END PUBLIC KEY-----\n"
    for text in [String(decoding: bytes, as: UTF8.self), pem] {
      guard let root = root(text) else { preconditionFailure("the text of a key broke the root") }
      for signature in Self.signatures where root.keys.values.contains(where: { $0.verificationKey != nil }) {
        guard let timestamp = timestamp(signature), let role = root.roles["timestamp"] else { return }
        precondition(timestamp.signerCount(of: role, among: root.keys) == 0, "nobody signed this")
      }
    }
  }

  private func root(_ text: String) -> Root? {
    let keys = Self.kinds.map { keytype, scheme in
      JSONMember(
        keytype,
        ["keytype": .string(keytype), "scheme": .string(scheme), "keyval": ["public": .string(text)]])
    }
    let role: JSONValue = ["keyids": ["ed25519", "ecdsa", "rsa"], "threshold": 1]
    let signed: JSONValue = [
      "_type": "root", "spec_version": "1.0.31", "version": 1, "expires": "2030-01-01T00:00:00Z",
      "keys": .object(keys),
      "roles": ["root": role, "targets": role, "snapshot": role, "timestamp": role],
    ]
    return try? Metadata(parsing: (["signatures": [], "signed": signed] as JSONValue).bytes).signed
  }

  private func timestamp(_ signature: String) -> Metadata<Timestamp>? {
    let signatures = Self.kinds.map { #"{"keyid":"\#($0.0)","sig":"\#(signature)"}"# }.joined(separator: ",")
    let signed = #"{"_type":"timestamp",\#(Self.header),"meta":{"snapshot.json":{"version":1}}}"#
    return try? Metadata(parsing: Array(#"{"signatures":[\#(signatures)],"signed":\#(signed)}"#.utf8))
  }
}
