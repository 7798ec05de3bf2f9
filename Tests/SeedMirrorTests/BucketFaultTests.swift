import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedMirror

@Suite struct BucketFaultTests {
  private let bucket: TestBucket
  /// Limits for requests without a response.
  private static let short = BucketLimits(
    connectSeconds: 5, answerSeconds: 3, slowSeconds: 2, leastBytesPerSecond: 10, wholeSeconds: 3)

  /// Limits that make uploads use parts.
  private static let parts = BucketLimits(wholeBytes: 0, partBytes: 1024, pauseMicroseconds: 1000)
  /// Rows of a snapshot with several parts.
  private static let rowsInParts = 30

  init() throws { bucket = try TestBucket() }

  private static var options: MirrorOptions {
    var options = MirrorOptions()
    options.pause = { _ in }
    return options
  }

  private func mirror(
    _ name: String, _ fixture: PublicationFixture, _ limits: BucketLimits = BucketLimits()
  ) throws -> Mirror {
    Mirror(
      try bucket.store("seeds/\(name)", limits: limits), Self.options,
      stateFolder: fixture.folder("state-\(name)"))
  }

  /// Every file that a client can reach from the current timestamp must exist.
  private func expectWhole(_ store: BucketStore, _ what: String) throws {
    guard let root = try store.read("metadata/1.root.json")?.bytes,
      try store.read("metadata/timestamp.json") != nil
    else { return }
    let published = try PublishedMetadata(root: root) { try store.read("metadata/\($0)")?.bytes }
    for object in published.series.values.flatMap(\.metadata.objects) {
      let found = try store.read(object.filePath)?.bytes
      #expect(found.map(SHA256Digest.of) == object.sha256, "\(what): \(object.filePath)")
    }
  }

  private static let faults = [
    "drop before", "drop after", "412:PreconditionFailed before", "412:PreconditionFailed after",
    "503 before", "503 after", "409:ConditionalRequestConflict before", "cut before", "cut after",
  ]

  /// Half of the faults hit the even requests, and the rest the odd ones. In a deep run, each hits all.
  @Test(.full, arguments: faults, [BucketLimits(), parts])
  func `a failure of any request leaves the mirror consistent and the next push converges`(
    _ fault: String, _ limits: BucketLimits
  ) throws {
    let fixture = try PublicationFixture(rows: 10)
    let step = Stage.isDeep ? 1 : 2
    var number = (Self.faults.firstIndex(of: fault) ?? 0) / 2 % step
    var isHit = true
    while isHit {
      let what = "\(fault) \(number)"
      let mirror = try mirror(what.filter { $0.isLetter || $0.isNumber }, fixture, limits)
      try bucket.arm(what)
      _ = try? mirror.bringUpToDate(fixture.publication, now: .now())
      isHit = try bucket.arm("503 before -1").isMet
      guard isHit else { continue }
      let store = try #require(mirror.store as? BucketStore)
      try expectWhole(store, what)
      _ = try mirror.bringUpToDate(fixture.publication, now: .now())
      try expectWhole(store, what)
      #expect(
        try store.read("metadata/timestamp.json")?.bytes == fixture.publication.metadata("timestamp.json"))
      number += step
    }
    #expect(number > 6, "\(fault): too few requests were hit")
  }

  @Test(.full, arguments: ["hang before", "hang after"])
  func `a request without a response times out and its effect is found out`(_ fault: String) throws {
    let fixture = try PublicationFixture(rows: 10)
    // A first push makes nine requests: the fourth puts an object, and the last one the timestamp.
    for number in Stage.isDeep ? Array(0...8) : [3, 8] {
      let what = "\(fault) \(number)"
      let (hasty, mirror) = (try mirror("\(number)", fixture, Self.short), try mirror("\(number)", fixture))
      let store = try #require(mirror.store as? BucketStore)
      try bucket.arm(what)
      _ = try? hasty.bringUpToDate(fixture.publication, now: .now())
      #expect(try bucket.arm("503 before -1").isMet, "\(what)")
      try expectWhole(store, what)
      _ = try mirror.bringUpToDate(fixture.publication, now: .now())
      #expect(
        try store.read("metadata/timestamp.json")?.bytes == fixture.publication.metadata("timestamp.json"),
        "\(what)")
      try expectWhole(store, what)
    }
  }

  @Test func `a push to a store that hangs ends after one request`() throws {
    let fixture = try PublicationFixture(rows: 10)
    _ = try mirror("silent", fixture).bringUpToDate(fixture.publication, now: .now())
    try fixture.deployment.origin("UPDATE item SET note = 'changed' WHERE id = 1")
    _ = try fixture.deployment.step()
    let hasty = try mirror("silent", fixture, BucketLimits(answerSeconds: 1))
    try bucket.arm("hang before all")
    let failure = #expect(throws: MirrorFailure.self) {
      try hasty.bringUpToDate(fixture.publication, now: .now())
    }
    #expect("\(String(describing: failure))".contains("\(hasty.place): it does not answer: "))
    #expect(try bucket.arm("503 before -1").requests == 1)
    #expect(BucketLimits().answerSeconds == 10)
  }

  @Test(.full) func `a store that sends slowly does not block forever`() throws {
    let store = try bucket.store(limits: Self.short)
    for _ in 1...2 {
      try bucket.arm("drip before all")
      #expect(throws: MirrorError.self) { try store.read("metadata/timestamp.json") }
      #expect(throws: MirrorError.self) { try store.list() }
    }
    guard case .outcomeUnknown = try store.put(MirrorFile("metadata/1.root.json", [1]), .absent) else {
      Issue.record("a put without an end was heard")
      return
    }
    let usual = BucketLimits()
    #expect(usual.wholeSeconds(0) == 300 && usual.wholeSeconds(182_000_000) > usual.wholeSeconds(0))
  }

  @Test func `a truncated list or file is an error`() throws {
    let store = try bucket.store()
    let file = MirrorFile("metadata/1.root.json", Array("one".utf8))
    guard case .done(let tag) = try store.put(file, .absent) else {
      Issue.record("a new file is refused")
      return
    }
    try bucket.arm("cut after all")
    #expect(throws: MirrorError.self) { try store.list() }
    #expect(throws: MirrorError.self) { try store.read(file.path) }
    let folder = try TemporaryFolder(inMemory: true)
    #expect(throws: MirrorError.self) { try store.download(file.path, bytes: 3, to: folder("part")) }
    try bucket.arm("503 before -1")
    #expect(
      try store.list() == [file.path: 3] && store.read(file.path) == StoredFile(Array("one".utf8), tag: tag))
    #expect(try store.download(file.path, bytes: 3, to: folder("part")) == SHA256Digest.of(Array("one".utf8)))
    #expect(try DurableFile.read(folder("part"), limit: 10) == Array("one".utf8))
    #expect(try store.download("metadata/2.root.json", bytes: 3, to: folder("part")) == nil)
  }

  @Test func `an interrupted download continues, or begins again if the store ignores ranges`() throws {
    let store = try bucket.store()
    let file = MirrorFile("targets/object", Array("one two three".utf8))
    _ = try store.put(file, .absent)
    let folder = try TemporaryFolder(inMemory: true)
    let part = folder("part")
    // Another beginning than the store's shows which bytes were sent.
    try DurableFile.write(Array("ONE ".utf8), to: part)
    #expect(
      try store.download(file.path, bytes: file.length, to: part)
        == SHA256Digest.of(Array("ONE two three".utf8)))
    #expect(try store.download(file.path, bytes: file.length, to: part) == file.sha256)
    try DurableFile.write(Array("<E".utf8), to: part)
    try bucket.arm("200:- before 0")
    _ = try store.download(file.path, bytes: 100, to: part)
    #expect(try DurableFile.read(part, limit: 100).starts(with: "<Error>".utf8))
    // The part is longer than the file in the store.
    #expect(try store.download(file.path, bytes: 100, to: part) != file.sha256)
  }

  @Test func `a file that is longer than signed is not the signed file, as in a folder`() async throws {
    let fixture = try PublicationFixture(rows: 10)
    let object = try #require(fixture.publication.published().series.values.flatMap(\.metadata.objects).first)
    let bytes = try DurableFile.read(fixture.publication.file(object), limit: 1 << 20)
    let store = try bucket.store()
    _ = try store.put(MirrorFile(object.filePath, bytes + [0]), .absent)
    let parts = try TemporaryFolder(inMemory: true)
    let refusal = await #expect(throws: Refusal.self) {
      try await StoreSource(store, parts: parts.path).object(object)
    }
    #expect(refusal?.exitCode == .badData)
  }

  @Test func `a store without conditional writes is reported at the first put`() throws {
    let store = try bucket.store()
    try bucket.arm("501:NotImplemented before all")
    let file = MirrorFile("metadata/1.root.json", [1])
    #expect(throws: MirrorError.ignoresConditions("it answers 501 NotImplemented")) {
      try store.put(file, .absent)
    }
  }

  @Test(arguments: [BucketLimits(), parts])
  func `a file that changes during its upload, whole or in parts, is rejected and not listed`(
    _ limits: BucketLimits
  ) throws {
    let fixture = try PublicationFixture(rows: Self.rowsInParts)
    let mirror = try mirror("changed", fixture, limits)
    let store = try #require(mirror.store as? BucketStore)
    let object = try #require(
      fixture.publication.published().series.values.flatMap(\.metadata.objects).max { $0.length < $1.length })
    let path = fixture.publication.file(object)
    let bytes = try DurableFile.read(path, limit: 1 << 20)
    try DurableFile.write(bytes.dropLast() + [(bytes.last ?? 0) ^ 1], to: path)
    let failure = #expect(throws: MirrorFailure.self) {
      try mirror.bringUpToDate(fixture.publication, now: .now())
    }
    #expect("\(String(describing: failure))".contains("seedbank verify"), "\(String(describing: failure))")
    #expect(try mirror.store.read("metadata/timestamp.json") == nil)
    #expect(try mirror.store.length(object.filePath) == nil)
    try expectNoUpload(store, of: "changed")
    // A shorter file ends the request.
    try DurableFile.write(Array(bytes.dropLast(10)), to: path)
    #expect(throws: MirrorFailure.self) { try mirror.bringUpToDate(fixture.publication, now: .now()) }
    try DurableFile.write(bytes, to: path)
    #expect(try mirror.bringUpToDate(fixture.publication, now: .now()).isCommitted)
    try expectWhole(store, "in the end")
    // The tag of a file in parts ends with their number.
    let isInParts = try #require(try store.read(object.filePath)).tag.contains("-")
    #expect(isInParts == (object.length > limits.wholeBytes))
  }

  @Test func `an object above 1 GiB is sent in parts of 32 MiB`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try bucket.store(limits: BucketLimits())
    let sha256 = SHA256Digest.of([1])
    func send(_ content: [UInt8], signedLength: Int) throws -> String {
      let object = PublishedObject(
        series: SeedSeries("test", model: "1.0"), kind: .snapshot(.first, .gzip), length: signedLength,
        sha256: sha256, model: "1.0", rawLength: 1, rawSHA256: sha256, schema: sha256, digest: sha256)
      try Folder.create(Folder.parent(of: folder(object.filePath)))
      try DurableFile.write(content, to: folder(object.filePath))
      _ = try store.put(MirrorFile(object, in: PublicationDirectory(folder.path)), .none)
      return object.filePath
    }
    let path = try send([1], signedLength: (1 << 30) + 1)
    // The tag of a file in parts ends with their number.
    #expect(try #require(try store.read(path)).tag.contains("-1"))
    #expect(BucketLimits().partBytes == 32 << 20)
    let failure = MirrorError.refused(
      "a local file is shorter than its signed length: 'seedbank verify' names it")
    #expect(throws: failure) { try send([0], signedLength: 1 << 30) }
  }

  private func expectNoUpload(_ store: BucketStore, of name: String) throws {
    let uploads = try store.ask(BucketRequest(method: .get, url: bucket.address("seeds?uploads="))).text
    #expect(uploads.contains("<IsTruncated>") && !uploads.contains("<Key>\(name)/"), "\(uploads)")
  }

  /// Preceded by two lists, the timestamp, a check for the first object and the beginning of its upload.
  private static let firstPart = 5

  @Test func `a part and a completion that fail five times each are sent again without the other parts`()
    throws
  {
    let fixture = try PublicationFixture(rows: Self.rowsInParts)
    let object = try #require(
      fixture.publication.published().series.values.flatMap(\.metadata.objects)
        .min { $0.filePath < $1.filePath })
    let parts = (object.length + Self.parts.partBytes - 1) / Self.parts.partBytes
    // After the failures of the part, the completion comes five requests later.
    let completion = Self.firstPart + parts + 5
    let failing = [Self.firstPart, completion].flatMap { first in (first..<first + 5).map(String.init) }
    func requests(_ fault: String) throws -> Int {
      let mirror = try mirror(fault.filter { $0.isLetter || $0.isNumber }, fixture, Self.parts)
      try bucket.arm(fault)
      #expect(try mirror.bringUpToDate(fixture.publication, now: .now()).isCommitted, "\(fault)")
      let count = try bucket.arm("").requests
      try expectWhole(try #require(mirror.store as? BucketStore), fault)
      return count
    }
    let usual = try requests("503 before -1")
    for fault in ["503 before", "503 after", "200:InternalError before", "drop before", "drop after"] {
      let found = try requests("\(fault) \(failing.joined(separator: ","))")
      #expect(parts > 1 && found == usual + failing.count, "\(fault)")
    }
  }

  @Test func `an upload that failed in an outage is aborted when the store answers again`() throws {
    let fixture = try PublicationFixture(rows: Self.rowsInParts)
    let mirror = try mirror("outage", fixture, Self.parts)
    // Eight attempts to send the part, and three to abort the upload.
    let failures = (Self.firstPart..<Self.firstPart + 11).map(String.init)
    try bucket.arm("503 before \(failures.joined(separator: ","))")
    #expect(try mirror.bringUpToDate(fixture.publication, now: .now()).isCommitted)
    try expectNoUpload(try #require(mirror.store as? BucketStore), of: "outage")
  }

  @Test func `an upload is aborted after the current part when the program has to end`() throws {
    let fixture = try PublicationFixture(rows: Self.rowsInParts)
    let questions = Mutex(0)
    let store = try bucket.store("seeds/over", limits: Self.parts) {
      questions.withLock { count in
        count += 1
        return count > 1
      }
    }
    let mirror = Mirror(store, Self.options, stateFolder: fixture.folder("state-over"))
    try bucket.arm("503 before -1")
    let failure = #expect(throws: MirrorFailure.self) {
      try mirror.bringUpToDate(fixture.publication, now: .now())
    }
    #expect("\(String(describing: failure))".contains("the program had to end"))
    #expect(try bucket.arm("").requests == Self.firstPart + 2)
    try expectNoUpload(store, of: "over")
  }

  @Test func `an upload whose parts get no tag ends at the first part`() throws {
    let fixture = try PublicationFixture(rows: Self.rowsInParts)
    let mirror = try mirror("tagless", fixture, Self.parts)
    try bucket.arm("200:- before \(Self.firstPart)")
    let failure = #expect(throws: MirrorFailure.self) {
      try mirror.bringUpToDate(fixture.publication, now: .now())
    }
    #expect("\(String(describing: failure))".contains("it sends no ETag for a part"))
    // The last one aborts the upload.
    #expect(try bucket.arm("").requests == Self.firstPart + 2)
  }
}
