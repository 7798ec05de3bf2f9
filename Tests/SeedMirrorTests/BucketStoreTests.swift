import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedMirror

/// A bucket as a mirror, against a server that verifies signatures and body hashes.
@Suite struct BucketStoreTests {
  private static func file(_ path: String, _ text: String) -> MirrorFile {
    MirrorFile(path, Array(text.utf8))
  }

  private static func refusal(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was refused"
    } catch MirrorError.refused(let text) { return text } catch { return "\(error)" }
  }

  @Test func `the server accepts the signature of every kind of request`() throws {
    let bucket = try TestBucket()
    defer { withExtendedLifetime(bucket) {} }
    let store = try bucket.store()
    let (one, other) = (Self.file("metadata/1.root.json", "one"), Self.file("metadata/1.root.json", "other"))
    #expect(try store.read(one.path) == nil && store.length(one.path) == nil)
    guard case .done(let tag) = try store.put(one, .absent) else {
      Issue.record("a new file is refused")
      return
    }
    #expect(try store.put(other, .absent) == .unmet)
    #expect(try store.put(other, .tag("\"0\"")) == .unmet)
    #expect(try store.put(Self.file("metadata/none.json", ""), .tag(tag)) == .absent)
    #expect(try store.read(one.path) == StoredFile(Array("one".utf8), tag: tag))
    guard case .done = try store.put(other, .tag(tag)) else {
      Issue.record("the right tag is refused")
      return
    }
    #expect(try store.length(one.path) == 5 && store.list() == [one.path: 5])
    try store.remove(one.path)
    try store.remove(one.path)
    #expect(try store.list().isEmpty)
  }

  @Test func `files are streamed and nothing is sent twice`() throws {
    let bucket = try TestBucket()
    let deployment = try PublicationFixture(rows: 6000)
    let store = try bucket.store()
    let mirror = Mirror(store, MirrorOptions(), stateFolder: deployment.folder("state"))
    let report = try mirror.bringUpToDate(deployment.publication, now: .now())
    // More than a piece of a file.
    #expect(report.isCommitted && report.bytes > 500_000)
    #expect(try mirror.bringUpToDate(deployment.publication, now: .now()) == MirrorReport())
    try mirror.compare(deployment.publication)
    for object in try deployment.publication.published().series.values.flatMap(\.metadata.objects) {
      #expect(
        try store.read(object.filePath)?.bytes
          == DurableFile.read(deployment.publication.file(object), limit: 1 << 27))
    }
  }

  @Test func `errors of the store include a remedy and no secret`() throws {
    let bucket = try TestBucket()
    let file = Self.file("metadata/1.root.json", "one")
    let wrong = Self.refusal { _ = try bucket.store(secret: "not the secret").put(file, .absent) }
    #expect(wrong.contains("403 SignatureDoesNotMatch") && !wrong.contains("not the secret"))
    let old = Self.refusal { _ = try bucket.store(token: "an old token").put(file, .absent) }
    #expect(old.contains("400 InvalidToken") && !old.contains("an old token") && !old.contains(bucket.secret))
    #expect(Self.refusal { _ = try bucket.store("nowhere/prod").read(file.path) }.contains("NoSuchBucket"))
    #expect(Self.refusal { _ = try bucket.store("nowhere/prod").put(file, .absent) }.contains("NoSuchBucket"))
    #expect(Self.refusal { _ = try bucket.store("nowhere/prod").list() }.contains("create the bucket"))
    try bucket.arm("400:EntityTooLarge</Code><MaxSizeAllowed>5000000</MaxSizeAllowed><Code> before 0")
    #expect(
      Self.refusal { _ = try bucket.store().put(file, .absent) }
        .contains("EntityTooLarge: raise its limit for one PUT, 5.0 MB, to 1.1 GB"))
    try bucket.arm("301 before 0")
    #expect(Self.refusal { _ = try bucket.store().read(file.path) }.contains("it redirects"))
    let credentials = try BucketCredentials(
      bucket.environment.merging(["AWS_SESSION_TOKEN": "a token"]) { $1 }, profile: nil)
    #expect(credentials.token == "a token")
    #expect(["\(credentials)", String(reflecting: credentials)] == ["credentials", "credentials"])
  }

  @Test func `an ambiguous response leaves the result open whether or not the put was done`() throws {
    let bucket = try TestBucket()
    let store = try bucket.store()
    let file = Self.file("metadata/1.root.json", "one")
    try bucket.arm("503 before 0")
    #expect(try store.put(file, .absent) == .outcomeUnknown("it answers 503 SlowDown"))
    #expect(try store.read(file.path) == nil)
    try bucket.arm("503 after 0")
    #expect(try store.put(file, .absent) == .outcomeUnknown("it answers 503 SlowDown"))
    #expect(try store.put(file, .absent) == .unmet)
    try bucket.arm("503 before all")
    #expect(throws: MirrorError.away("it answers 503 SlowDown")) { try store.list() }
    let nobody = try #require(BucketAddress("http://127.0.0.1:1/seeds"))
    let away = BucketStore(nobody) { [environment = bucket.environment] in
      try BucketCredentials(environment, profile: nil)
    }
    guard case .outcomeUnknown(let text) = try away.put(file, .absent) else {
      Issue.record("a store that is not there answers")
      return
    }
    #expect(text.contains("it does not answer"))
  }

  @Test func `reads, lists and removals are repeated twice when the store is busy`() throws {
    let bucket = try TestBucket()
    let store = try bucket.store()
    let file = Self.file("metadata/1.root.json", "one")
    _ = try store.put(file, .absent)
    func twice<Result>(_ fault: String, _ work: () throws -> Result) throws -> Result {
      try bucket.arm("\(fault) before 0,1")
      return try work()
    }
    #expect(try twice("503:SlowDown") { try store.read(file.path) }?.bytes == Array("one".utf8))
    #expect(try twice("429:TooManyRequests") { try store.length(file.path) } == 3)
    #expect(try twice("503:SlowDown") { try store.list() } == [file.path: 3])
    try twice("429:TooManyRequests") { try store.remove(file.path) }
    #expect(try store.read(file.path) == nil)
  }

  @Test(arguments: ["400:RequestTimeout", "408:RequestTimeout"])
  func `a timeout that the store reports is temporary and not an error of the configuration`(
    _ fault: String
  ) throws {
    let bucket = try TestBucket()
    let store = try bucket.store()
    try bucket.arm("\(fault) before all")
    let words = "it answers \(fault.replacing(":", with: " "))"
    #expect(try store.put(Self.file("metadata/1.root.json", "one"), .absent) == .outcomeUnknown(words))
    #expect(throws: MirrorError.away(words)) { try store.list() }
  }

  @Test(arguments: ["<NextContinuationToken>a</NextContinuationToken>", ""])
  func `a list whose pages repeat or lead nowhere is rejected`(_ next: String) throws {
    let bucket = try TestBucket()
    try bucket.arm("200:</Code><IsTruncated>true</IsTruncated>\(next)<Code> before all")
    #expect(Self.refusal { _ = try bucket.store().list() }.contains("its file list is incomplete"))
  }

  @Test func `a store without tags takes only unconditional writes`() throws {
    let bucket = try TestBucket()
    let store = try bucket.store()
    let file = Self.file("metadata/timestamp.json", "one")
    try bucket.arm("200:- before all")
    #expect(try store.put(file, .none) == .done(tag: ""))
    let found = try #require(try store.read(file.path))
    #expect(throws: MirrorError.ignoresConditions("it sends no ETag")) {
      try store.put(file, .tag(found.tag))
    }
  }
}

struct PublicationFixture {
  let deployment: TestDeployment
  var publication: PublicationDirectory { deployment.publication }

  init(rows: Int) throws {
    deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE item(id INTEGER PRIMARY KEY, note TEXT)")],
      in: TemporaryFolder(inMemory: true))
    try deployment.origin(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, note TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO item SELECT i, hex(randomblob(100)) FROM n
      """)
    _ = try deployment.step()
  }

  func folder(_ name: String) -> String { deployment.folder(name) }
}

/// Addresses and credentials in the operator's notation.
@Suite struct BucketAddressTests {
  @Test func `an address has URLs for files and lists in either style`() throws {
    let path = try #require(BucketAddress("https://s3.example/seeds/prod/"))
    #expect(path.url(of: "metadata/1.root.json") == "https://s3.example/seeds/prod/metadata/1.root.json")
    #expect(path.text == "https://s3.example/seeds/prod")
    #expect(
      path.listURL("metadata/", after: "a=b/c")
        == "https://s3.example/seeds?continuation-token=a%3Db%2Fc&list-type=2&prefix=prod%2Fmetadata%2F")
    let virtual = try #require(BucketAddress("https://seeds.s3.example/prod", style: .virtual))
    #expect(virtual.url(of: "a") == "https://seeds.s3.example/prod/a")
    #expect(virtual.listURL("a/", after: nil) == "https://seeds.s3.example/?list-type=2&prefix=prod%2Fa%2F")
  }

  @Test(arguments: BucketAddress.Style.allCases)
  func `an address in either style is found by its bucket and its prefix`(_ style: BucketAddress.Style) throws
  {
    let host = style == .path ? "s3.example/my.seeds" : "my.seeds.s3.example"
    let prod = try #require(BucketAddress("https://\(host)/prod/eu", style: style))
    #expect(prod.isNamed(["my.seeds", "prod", "eu"]))
    for other in [["my.seeds"], ["my.seeds", "prod"], ["prod", "eu"], ["seeds", "prod", "eu"], []] {
      #expect(!prod.isNamed(other.map { $0[...] }), "\(other)")
    }
    #expect(try #require(BucketAddress("https://\(host)", style: style)).isNamed(["my.seeds"]))
  }

  @Test(arguments: [
    "http://s3.example/seeds", "s3://seeds", "https://s3.example", "https://user:secret@s3.example/seeds",
    "https://s3.example/seeds?versioning", "https://s3.example/seeds/../x", "https:///seeds",
    "ftp://s3.example/seeds",
    "http://127.0.0.1.example/seeds",
  ])
  func `an ambiguous address or one without TLS over a network is rejected`(_ text: String) {
    #expect(BucketAddress(text) == nil)
  }

  @Test func `credentials come from variables or from a profile in a file`() throws {
    let folder = try TemporaryFolder()
    let file = folder("credentials")
    try DurableFile.write(
      Array(
        "[default]\naws_access_key_id = a\naws_secret_access_key = b=c\n[two]\naws_access_key_id=d\n".utf8),
      to: file)
    let environment = ["AWS_SHARED_CREDENTIALS_FILE": file]
    let found = try BucketCredentials(environment, profile: nil)
    #expect(found.identity == "a" && found.secret == "b=c" && found.token == nil)
    for (environment, profile) in [(environment, "two"), (environment, "three"), ([:], nil)] {
      #expect(throws: MirrorError.self) { try BucketCredentials(environment, profile: profile) }
    }
  }
}
