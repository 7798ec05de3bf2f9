import Foundation
import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct Ed25519EncodingTests {
  #if os(Linux)
  /// Finds the points of small order from the curve's equation, and all their 32-byte encodings; then all encodings
  /// whose y is not below p, and some good keys.
  private static let script = #"""
    import json, secrets
    p = 2**255 - 19
    d = -121665 * pow(121666, -1, p) % p
    order = 2**252 + 27742317777372353535851937790883648493

    def add(a, b):
        (x1, y1), (x2, y2) = a, b
        k = d * x1 * x2 * y1 * y2
        return ((x1 * y2 + x2 * y1) * pow(1 + k, -1, p) % p,
                (y1 * y2 + x1 * x2) * pow(1 - k, -1, p) % p)

    def times(n, point):
        sum = (0, 1)
        while n:
            if n & 1:
                sum = add(sum, point)
            point = add(point, point)
            n >>= 1
        return sum

    def points(y):
        square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square:
            x = x * pow(2, (p - 1) // 4, p) % p
        return [(x, y), (-x % p, y)] if x * x % p == square else []

    def encode(y, sign):
        return (y | sign << 255).to_bytes(32, "little").hex()

    # The order of a random point times the subgroup's order divides 8; enough of them reach all eight points.
    small = set()
    while len(small) < 8:
        for point in points(secrets.randbelow(p)):
            small.add(times(order, point))
    assert all(times(8, point) == (0, 1) for point in small)
    weak = {encode(y, sign) for _, y in small for sign in (0, 1)}
    noncanonical = {encode(y, sign) for y in range(p, 2**255) for sign in (0, 1)}
    good = []
    while len(good) < 300:
        for x, y in points(secrets.randbelow(p)):
            good.append(encode(y, x & 1))
    for y in [*range(2, 40), *range(p - 40, p - 1)]:
        good += [encode(y, x & 1) for x, y in points(y)]
    print(json.dumps(dict(weak=sorted(weak), noncanonical=sorted(noncanonical), good=good)))
    """#

  private static func encodings() throws -> [String: [String]] {
    let output = try python(script, [])
    return try JSONDecoder().decode([String: [String]].self, from: Data(output.utf8))
  }

  @Test func `keys of small order and non-canonical encodings are rejected`() throws {
    let encodings = try Self.encodings()
    #expect(encodings["weak"]?.count == 10)
    #expect(encodings["noncanonical"]?.count == 38)
    for hex in try #require(encodings["weak"]) + #require(encodings["noncanonical"]) {
      #expect(throws: InvalidName.self) { try PublicKey(hex: hex) }
      #expect(throws: InvalidName.self) { try PublicKey(hex: hex.uppercased()) }
    }
    for hex in try #require(encodings["good"]) { #expect(try PublicKey(hex: hex).hex == hex) }
  }
  #endif

  @Test func `a key is 64 hex digits, whose case does not matter`() throws {
    let key = SigningKey.generate().publicKey
    #expect(try PublicKey(hex: key.hex.uppercased()) == key)
    #expect(try PublicKey(hex: key.hex.uppercased()).keyID == key.keyID)
    let short = String(key.hex.dropLast())
    for text in ["", short, key.hex + "00", short + "g", " " + short] {
      #expect(throws: InvalidName.self) { try PublicKey(hex: text) }
    }
  }

  /// With the neutral point as key and R, and S = 0, the equation holds for any message.
  @Test func `metadata that lists a key of small order has no signer by it`() throws {
    let neutral = "01" + String(repeating: "00", count: 31)
    let key = #"{"keytype":"ed25519","scheme":"ed25519","keyval":{"public":"\#(neutral)"}}"#
    let role = #"{"keyids":["k"],"threshold":1}"#
    let header = #""spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z""#
    let roles = #"{"root":\#(role),"targets":\#(role),"snapshot":\#(role),"timestamp":\#(role)}"#
    let signed = #"{"_type":"root",\#(header),"keys":{"k":\#(key)},"roles":\#(roles)}"#
    let signature = neutral + String(repeating: "00", count: 32)
    let document = #"{"signatures":[{"keyid":"k","sig":"\#(signature)"}],"signed":\#(signed)}"#
    #expect(throws: TrustError.badSignature(role: "root", found: 0, needed: 1)) {
      try TrustedMetadataSet(root: Array(document.utf8), now: .now())
    }
  }
}
