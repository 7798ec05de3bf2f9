#if os(Linux)
import Foundation
import SeedFormat
import SeedTrust
import Support
import Testing

/// Key types that other TUF publishers use. Python's cryptography makes the keys and signs with them.
@Suite struct ForeignKeyTests {
  /// Signs its first argument's bytes with one key of each kind.
  private static let signer = #"""
    import base64, json, sys
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from securesystemslib.signer import CryptoSigner

    message = sys.argv[1].encode()
    entries = {}

    def entry(name, keytype, scheme, public, sig):
        entries[name] = dict(keytype=keytype, scheme=scheme, public=public, sig=sig)

    def pem(der, label="PUBLIC KEY", width=64):
        text = base64.b64encode(der).decode()
        lines = [text[i:i + width] for i in range(0, len(text), width)]
        return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])

    def sign(name, signer):
        key = signer.public_key
        entry(name, key.keytype, key.scheme, key.keyval["public"], signer.sign(message).signature)

    sign("ed25519", CryptoSigner.generate_ed25519())
    sign("ecdsa", CryptoSigner.generate_ecdsa())
    sign("rsa", CryptoSigner.generate_rsa(size=3072))
    good = dict(entries)

    # The same keys, written in another way.
    def again(name, of, **changes):
        entries[name] = dict(good[of], **changes)

    def der(name):
        return base64.b64decode("".join(good[name]["public"].splitlines()[1:-1]))

    again("ed25519 in upper case", "ed25519", public=good["ed25519"]["public"].upper())
    again("ecdsa as go-tuf calls it", "ecdsa", keytype="ecdsa-sha2-nistp256")
    again("ecdsa in one line", "ecdsa", public=pem(der("ecdsa"), width=1000))
    again("rsa with other line ends", "rsa", public=good["rsa"]["public"].replace("\n", "\r\n"))

    # Keys and signatures that must verify nothing.
    point = ec.generate_private_key(ec.SECP256R1())
    signature = point.sign(message, ec.ECDSA(hashes.SHA256())).hex()
    whole = point.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    compressed = point.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    short = bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200") + compressed

    def ecdsa(name, public, scheme="ecdsa-sha2-nistp256", sig=signature):
        entry("bad: " + name, "ecdsa", scheme, public, sig)

    ecdsa("a compressed point", pem(short))
    ecdsa("a point off the curve", pem(whole[:-1] + bytes([whole[-1] ^ 1])))
    ecdsa("a byte behind the key", pem(whole + b"\0"))
    ecdsa("a byte missing", pem(whole[:-1]))
    ecdsa("another label", pem(whole, label="EC PUBLIC KEY"))
    ecdsa("a comment in front", "key of mine\n" + pem(whole))
    ecdsa("bare base64", base64.b64encode(whole).decode())
    ecdsa("a hexadecimal point", whole[26:].hex())
    ecdsa("too long a text", pem(whole, width=1) + "\n" * 5000)
    ecdsa("an unknown scheme", pem(whole), scheme="ecdsa-sha2-nistp384")
    ecdsa("an empty text", "")
    ecdsa("no signature", pem(whole), sig="")
    ecdsa("half a byte of signature", pem(whole), sig=signature + "0")
    ecdsa("a byte behind the signature", pem(whole), sig=signature + "00")
    p384 = ec.generate_private_key(ec.SECP384R1())
    ecdsa("P-384",
          pem(p384.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)),
          sig=p384.sign(message, ec.ECDSA(hashes.SHA256())).hex())

    def pss(key, salt=32, mask=hashes.SHA256(), hash=hashes.SHA256()):
        return key.sign(message, padding.PSS(padding.MGF1(mask), salt), hash).hex()

    def rsa_pem(key, format=PublicFormat.SubjectPublicKeyInfo):
        return key.public_key().public_bytes(Encoding.PEM, format).decode()

    def rsa_entry(name, public, sig, scheme="rsassa-pss-sha256"):
        entry("bad: " + name, "rsa", scheme, public, sig)

    key = rsa.generate_private_key(65537, 2048)
    rsa_entry("another salt", rsa_pem(key), pss(key, salt=20))
    rsa_entry("another hash", rsa_pem(key), pss(key, hash=hashes.SHA512()))
    rsa_entry("another mask", rsa_pem(key), pss(key, mask=hashes.SHA512()))
    rsa_entry("PKCS #1 v1.5", rsa_pem(key), key.sign(message, padding.PKCS1v15(), hashes.SHA256()).hex())
    rsa_entry("a PKCS #1 key", rsa_pem(key, PublicFormat.PKCS1), pss(key))
    rsa_entry("an unknown RSA scheme", rsa_pem(key), pss(key), scheme="rsassa-pss-sha512")
    rsa_entry("an ECDSA key for RSA", pem(whole), signature)
    rsa_entry("a secret key", key.private_bytes(Encoding.PEM, serialization.PrivateFormat.PKCS8,
              serialization.NoEncryption()).decode(), pss(key))
    weak = rsa.generate_private_key(65537, 1024)
    rsa_entry("1024 bits", rsa_pem(weak), pss(weak))

    # Keys that nobody can sign with.
    for bits, exponent in ((2047, 65537), (2048, 65537), (2048, 3), (8192, 65537), (8193, 65537)):
        public = rsa.RSAPublicNumbers(exponent, (1 << bits) - 1).public_key()
        text = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        entry(f"size: {bits}, {exponent}", "rsa", "rsassa-pss-sha256", text, "00")
    print(json.dumps(entries))
    """#

  private struct Entry: Decodable, Sendable {
    var keytype: String
    var scheme: String
    var `public`: String
    var sig: String

    var key: JSONValue {
      ["keytype": .string(keytype), "scheme": .string(scheme), "keyval": ["public": .string(`public`)]]
    }
  }

  private static let signed =
    #"{"_type":"timestamp","expires":"2030-01-01T00:00:00Z","meta":{"snapshot.json":{"version":1}},"#
    + #""spec_version":"1.0.31","version":1}"#

  /// By name: valid keys, valid keys in other notations, invalid keys. Made once, because RSA keys take long.
  private static let entries = Result {
    let output = try python(signer, [signed])
    #expect(output.hasPrefix("{"), "is python-tuf installed? pip install tuf 'securesystemslib[crypto]'")
    return try JSONDecoder().decode([String: Entry].self, from: Data(output.utf8))
  }

  private func entry(_ name: String) throws -> Entry { try #require(Self.entries.get()[name]) }

  /// A root that lists these keys for the timestamp, each under its own id.
  private func root(_ keys: [Entry]) throws -> Root {
    let ids = keys.indices.map { JSONValue.string("k\($0)") }
    let role: JSONValue = ["keyids": .array(ids), "threshold": 1]
    let members = keys.enumerated().map { JSONMember("k\($0)", $1.key) }
    let root: JSONValue = [
      "_type": "root", "spec_version": "1.0.31", "version": 1, "expires": "2030-01-01T00:00:00Z",
      "keys": .object(members),
      "roles": ["root": role, "targets": role, "snapshot": role, "timestamp": role],
    ]
    return try Metadata<Root>(parsing: (["signatures": [], "signed": root] as JSONValue).bytes).signed
  }

  private func signers(_ keys: [Entry]) throws -> Int {
    let root = try root(keys)
    let signatures = keys.enumerated().map { index, key -> JSONValue in
      ["keyid": .string("k\(index)"), "sig": .string(key.sig)]
    }
    let signed = try JSONValue(parsing: Array(Self.signed.utf8))
    let document: JSONValue = ["signatures": .array(signatures), "signed": signed]
    let timestamp = try Metadata<Timestamp>(parsing: document.bytes)
    return timestamp.signerCount(of: try #require(root.roles["timestamp"]), among: root.keys)
  }

  @Test func `keys of python verify its signatures, and each counts once in whatever form it is listed`()
    throws
  {
    let written = [
      ["ed25519", "ed25519 in upper case"],
      ["ecdsa", "ecdsa as go-tuf calls it", "ecdsa in one line"],
      ["rsa", "rsa with other line ends"],
    ]
    for names in written {
      for name in names { #expect(try signers([entry(name)]) == 1, "\(name)") }
      #expect(try signers(names.map(entry)) == 1, "\(names)")
    }
    #expect(try signers(written.joined().map(entry)) == 3)
  }

  @Test func `the case of a signature's digits does not matter`() throws {
    for name in ["ed25519", "ecdsa", "rsa"] {
      var key = try entry(name)
      key.sig = key.sig.uppercased()
      #expect(try signers([key]) == 1, "\(name)")
      key.sig += " "
      #expect(try signers([key]) == 0, "\(name)")
    }
  }

  @Test func `a signature with any byte changed is rejected`() throws {
    for name in ["ed25519", "ecdsa", "rsa"] {
      let key = try entry(name)
      let signature = try #require(hexBytes(key.sig))
      for index in signature.indices {
        var bytes = signature
        bytes[index] ^= 1
        var forged = key
        forged.sig = lowerHex(bytes)
        #expect(try signers([forged]) == 0, "byte \(index) of \(name)")
      }
    }
  }

  @Test func `an invalid key verifies nothing and does not affect others`() throws {
    let bad = try Self.entries.get().filter { $0.key.hasPrefix("bad: ") }
    #expect(bad.count == 24)
    for (name, key) in bad { #expect(try signers([key]) == 0, "\(name)") }
    #expect(try signers(bad.values + ["ed25519", "ecdsa", "rsa"].map(entry)) == 3)
  }

  /// Coprime to the size of a base64 group, so that all positions in a group are tested.
  private static let step = Stage.pick(quick: 5, full: 1, deep: 1)

  @Test func `a damaged PEM key verifies nothing`() throws {
    for name in ["ecdsa", "rsa"] {
      let text = Array(try entry(name).public.utf8)
      for index in stride(from: 0, to: text.count, by: Self.step) {
        var bytes = text
        bytes[index] ^= 1
        var damaged = try entry(name)
        damaged.public = String(decoding: bytes, as: UTF8.self)
        #expect(try signers([damaged]) == 0, "byte \(index) of \(name)")
      }
    }
  }

  @Test func `an RSA key has a modulus of 2048 to 8192 bits and the exponent 65537`() throws {
    let sizes = [
      ("2047, 65537", false), ("2048, 65537", true), ("2048, 3", false), ("8192, 65537", true),
      ("8193, 65537", false),
    ]
    for (size, isKey) in sizes {
      let key = try root([entry("size: \(size)")]).keys["k0"]
      #expect((key?.verificationKey != nil) == isKey, "\(size)")
    }
  }
}
#endif
