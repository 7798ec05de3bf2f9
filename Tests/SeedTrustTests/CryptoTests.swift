import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedSigning

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 matches the vectors of FIPS 180`(message: String, digest: String) {
    #expect(SHA256Digest.of(Array(message.utf8)).hex == digest)
  }

  @Test func `a finished hasher can be reused`() {
    var hasher = SHA256Hasher()
    for length in 0..<300 {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      hasher.update(Array(message[..<(length / 3)]))
      message[(length / 3)...].withUnsafeBytes { hasher.update($0) }
      let digest = hasher.finish()
      #expect(digest == SHA256Digest.of(message))
    }
  }

  @Test func `a file longer than the buffer has the digest of its bytes, and a missing one is named`() throws
  {
    let folder = try TemporaryFolder(inMemory: true)
    let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try DurableFile.write(bytes, to: folder("file"))
    let (digest, length) = try SHA256Digest.ofFile(at: folder("file"))
    #expect(digest == SHA256Digest.of(bytes))
    #expect(length == bytes.count)
    let error = #expect(throws: FileError.self) { try SHA256Digest.ofFile(at: "/nowhere/at-all") }
    #expect(error?.description == "cannot open /nowhere/at-all: No such file or directory")
  }
}

@Suite struct Ed25519Tests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let seed: String
    let publicKey: String
    let message: String
    let signature: String
  }

  static let vectors = [
    Vector(
      testDescription: "RFC 8032 test 1",
      seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
      signature:
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        + "d25bf5f0595bbe24655141438e7a100b"),
    Vector(
      testDescription: "RFC 8032 test 2",
      seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00"),
    Vector(
      testDescription: "RFC 8032 test 3",
      seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
      signature:
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a"),
  ]

  @Test(arguments: vectors) func `signatures match the vectors of RFC 8032`(vector: Vector) throws {
    let seed = try #require(hexBytes(vector.seed))
    let key = SigningKey(seed: SecretBytes(count: seed.count) { $0.copyBytes(from: seed) })
    let message = try #require(hexBytes(vector.message))
    #expect(key.publicKey.hex == vector.publicKey)
    #expect(try key.publicKey.verify(#require(hexBytes(vector.signature)), of: message))
    #if !canImport(CryptoKit)
    #expect(lowerHex(key.sign(message)) == vector.signature)
    #endif
  }

  /// RFC 8032, 5.1.7: S must be below the group's order. Otherwise anyone could derive a second valid signature.
  @Test(arguments: vectors) func `a signature with the order added to S is rejected`(vector: Vector) throws {
    let order = try #require(hexBytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
    var signature = try #require(hexBytes(vector.signature))
    var carry = 0
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      signature[32 + index] = UInt8(sum & 255)
      carry = sum >> 8
    }
    let key = try PublicKey(hex: vector.publicKey)
    #expect(carry == 0)
    #expect(try !key.verify(signature, of: #require(hexBytes(vector.message))))
  }

  @Test func `a signature with a flipped bit, of a wrong length or of another key is rejected`() {
    let key = SigningKey.generate()
    let message = Array("a row".utf8)
    let signature = key.sign(message)
    #expect(key.publicKey.verify(signature, of: message))
    for bit in 0..<512 {
      var forged = signature
      forged[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.publicKey.verify(forged, of: message))
    }
    #expect(!key.publicKey.verify(Array(signature.dropLast()), of: message))
    #expect(!key.publicKey.verify([], of: message))
    #expect(!key.publicKey.verify(signature, of: message + [0]))
    #expect(!key.publicKey.verify(SigningKey.generate().sign(message), of: message))
  }

  @Test func `a key's id is the digest of its canonical JSON`() throws {
    let key = SigningKey.generate().publicKey
    let object: JSONValue = [
      "scheme": "ed25519", "keytype": "ed25519", "keyval": ["public": .string(key.hex)],
    ]
    #expect(key.keyID == SHA256Digest.of(try CanonicalJSON.bytes(of: object)).hex)
  }
}
