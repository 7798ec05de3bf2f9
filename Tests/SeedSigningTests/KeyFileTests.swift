import Dispatch
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedSigning

@Suite struct KeyFileTests {
  @Test
  func `a key is read back from its file, which only its owner may read and which is never overwritten`()
    throws
  {
    let folder = try TemporaryFolder(inMemory: true)
    let key = SigningKey.generate()
    try KeyFile.write(key, toNewFile: folder("key.json"))
    let file = try KeyFile(reading: folder("key.json"))
    #expect(file.key.publicKey == key.publicKey)
    #expect(!file.isTooOpen)
    var status = stat()
    #expect(stat(folder("key.json"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(throws: KeyFileError.alreadyThere(path: folder("key.json"))) {
      try KeyFile.write(.generate(), toNewFile: folder("key.json"))
    }
    #expect(try KeyFile(reading: folder("key.json")).key.publicKey == key.publicKey)
  }

  @Test func `a public key of either form is read from a pipe`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let (key, pipe) = (SigningKey.generate(), folder("pipe"))
    try KeyFile.write(key, toNewFile: folder("key.json"))
    #expect(mkfifo(pipe, 0o600) == 0)
    let secret = try DurableFile.read(folder("key.json"), limit: 4096)
    for bytes in [secret, PublicKeyFile.document(key.publicKey)] {
      DispatchQueue.global().async { try? File(pipe, for: .replacing).write(bytes) }
      #expect(try KeyFile.publicKey(inFileOrPipe: pipe) == key.publicKey)
    }
  }

  @Test(arguments: [mode_t(0o640), 0o604, 0o620, 0o644])
  func `a key file that others may read or write is reported`(mode: mode_t) throws {
    let folder = try TemporaryFolder(inMemory: true)
    let path = folder("key.json")
    try KeyFile.write(.generate(), toNewFile: path)
    #expect(chmod(path, mode) == 0)
    #expect(try KeyFile(reading: path).isTooOpen)
  }

  @Test func `an invalid key file is rejected without quoting it`() throws {
    let secret = String(repeating: "ab", count: 32)
    let other = SigningKey.generate().publicKey.hex
    let documents = [
      "", "{}", #"{"keytype":"rsa","private":"\#(secret)","public":"\#(other)"}"#,
      #"{"keytype":"ed25519","private":"\#(secret)00","public":"\#(other)"}"#,
      #"{"keytype":"ed25519","private":"\#(secret.uppercased())","public":"\#(other)"}"#,
      #"{"keytype":"ed25519","private":"\#(secret)","public":"\#(other)"}"#,
      String(repeating: " ", count: 5000),
    ]
    let folder = try TemporaryFolder(inMemory: true)
    for document in documents {
      try DurableFile.write(Array(document.utf8), to: folder("key.json"))
      let error = #expect(throws: KeyFileError.self) { try KeyFile(reading: folder("key.json")) }
      #expect(error?.description.contains("key.json") == true)
      #expect(error?.description.lowercased().contains(secret) == false)
    }
  }

  @Test func `no description of a key shows its secret`() {
    let key = SigningKey(
      seed: SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: 0xAB) })
    var dumped = ""
    dump(key, to: &dumped)
    dump(KeyRing([.root: [key]]), to: &dumped)
    let texts = ["\(key)", String(reflecting: key), "\(KeyRing([.root: [key]]))", "\([key])", dumped]
    for text in texts {
      #expect(!text.contains("171") && !text.lowercased().contains("abababab"))
    }
    #expect("\(key)" == "secret key of \(key.publicKey.keyID)")
  }
}
