import Foundation
import SeedFormat
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

/// A mirror shows successive publications and never half of one.
@Suite struct MirrorPushTests {
  private struct History {
    let deployment: TestDeployment
    let images: [MirrorImage]

    /// With `rotating`, the last image has another timestamp key.
    init(versions: Int, rotating: Bool = false) throws {
      deployment = try PublisherFixture.deployment()
      deployment.job.retainedSnapshots = 1
      var images = [try MirrorImage(of: deployment.publication)]
      for version in 1..<versions {
        try deployment.origin("UPDATE stop SET name = 'name \(version)' WHERE id = 1")
        _ = try deployment.step(forcingSnapshot: version.isMultiple(of: 2))
        images.append(try MirrorImage(of: deployment.publication))
      }
      if rotating {
        try Self.rotate(deployment)
        images.append(try MirrorImage(of: deployment.publication))
      }
      self.images = images
    }

    /// Replaces the timestamp's key. The old key also signs.
    private static func rotate(_ deployment: TestDeployment) throws {
      let new = KeyRing([.timestamp: [.generate()]])
      let publisher = Publisher(
        deployment.publication, stateFolder: deployment.folder("state"),
        keys: KeySource(deployment.keys.adding(new)))
      _ = try publisher.changeKeys(
        lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock
      ) { published, signer in
        try OfflineChange(
          root: signer.root(replacing: [.timestamp: new.verifiers(.timestamp)], after: published))
      }
    }
  }

  private static var options: MirrorOptions {
    var options = MirrorOptions()
    options.pause = { _ in }
    options.graceSeconds = 60
    return options
  }

  /// Every file that a client can reach from the current timestamp must exist and be signed for the newest root.
  private static func check(_ files: [String: [UInt8]], _ note: String) {
    guard files[MirrorImage.timestampPath] != nil else { return }
    let result = Result {
      let root = try #require(files["metadata/1.root.json"])
      return try PublishedMetadata(root: root) { files["metadata/\($0)"] }
    }
    guard let published = try? result.get() else {
      Issue.record("\(note): the timestamp leads to metadata that is not there or does not fit: \(result)")
      return
    }
    #expect(published.outdated.isEmpty, "\(note): clients of the newest root reject it")
    for object in published.series.values.flatMap(\.metadata.objects) {
      #expect(files[object.filePath].map(SHA256Digest.of) == object.sha256, "\(note): \(object.filePath)")
    }
  }

  private static func push(
    _ image: MirrorImage, to bucket: any MirrorStore, _ memory: inout MirrorMemory, at seconds: Int = 0,
    _ options: MirrorOptions = options, remember: @escaping (MirrorMemory) -> Void = { _ in }
  ) throws -> MirrorReport {
    var push = MirrorPush(
      image, to: bucket, memory, options, now: UTCTime(secondsSinceEpoch: 1_000_000 + seconds),
      remember: remember)
    defer { memory = push.memory }
    try push.run()
    return push.report
  }

  @Test func `a push puts one object per new file and costs nothing without changes`() throws {
    let history = try History(versions: 2)
    let (bucket, memory) = (ModelBucket(), MirrorMemory())
    var known = memory
    let first = try Self.push(history.images[0], to: bucket, &known)
    #expect(first.isCommitted && first.files == history.images[0].paths.count)
    let before = bucket.requests
    let second = try Self.push(history.images[1], to: bucket, &known)
    // A look at the timestamp, a delta, the series' role, the snapshot role, the timestamp.
    #expect(second.files == 4 && bucket.requests - before == 5)
    #expect(try Self.push(history.images[1], to: bucket, &known) == MirrorReport())
    #expect(bucket.requests - before == 5)
    #expect(known.commit?.version == history.images[1].version && known.behindSince == nil)
  }

  @Test func `a failure of any single request leaves the mirror consistent and the next push converges`()
    throws
  {
    let history = try History(versions: 3, rotating: true)
    #expect(history.images.last?.published.root.version == 2)
    for fault in ModelBucket.Fault.allCases {
      var number = 0
      while try !isPast(fault, at: number, history) { number += Stage.pick(quick: 4, full: 1, deep: 1) }
      #expect(number > 10, "\(fault): too few requests were hit")
    }
  }

  /// Pushes all versions while one request fails. Returns whether every request preceded the fault.
  private func isPast(_ fault: ModelBucket.Fault, at number: Int, _ history: History) throws -> Bool {
    let note = "\(fault) at request \(number)"
    let bucket = ModelBucket { Self.check($0, note) }
    var memory = MirrorMemory()
    bucket.arm(fault, at: number)
    for image in history.images {
      var known = memory
      do {
        _ = try Self.push(image, to: bucket, &known) { memory = $0 }
        memory = known
      } catch is ModelBucket.Killed {
        // The process loses its memory except for the saved part.
      } catch is MirrorError { memory = known }
    }
    let last = try #require(history.images.last)
    // The next push meets no fault and repairs everything.
    let isPast = bucket.isArmed
    if isPast { bucket.disarm() }
    _ = try Self.push(last, to: bucket, &memory)
    #expect(bucket.files[MirrorImage.timestampPath].map(SHA256Digest.of) == last.timestamp.sha256, "\(note)")
    #expect(memory.problem == nil && memory.behindSince == nil, "\(note)")
    #expect(last.paths.isSubset(of: bucket.files.keys), "\(note)")
    return isPast
  }

  @Test(arguments: [ModelBucket.Fault.killBefore, .killAfter])
  func `after a power failure that undoes the record of a push, the next version is mirrored`(
    _ fault: ModelBucket.Fault
  ) throws {
    let history = try History(versions: 3)
    // The five requests of a step with one delta.
    for number in 0..<5 {
      let bucket = ModelBucket { Self.check($0, "\(fault) at request \(number)") }
      var memory = MirrorMemory()
      _ = try Self.push(history.images[0], to: bucket, &memory)
      var lost = memory
      bucket.arm(fault, at: number)
      #expect(throws: ModelBucket.Killed.self) { try Self.push(history.images[1], to: bucket, &lost) }
      #expect(try Self.push(history.images[2], to: bucket, &memory).isCommitted)
    }
  }

  @Test func `random faults and lost memory end with the current publication`() throws {
    let history = try History(versions: 5)
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for _ in 0..<Stage.pick(quick: 5, full: 40, deep: 40) {
      let bucket = ModelBucket { Self.check($0, "seed \(seed)") }
      var memory = MirrorMemory()
      for (version, image) in history.images.enumerated() {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bucket.arm(random.pick(ModelBucket.Fault.allCases), at: Int.random(in: 0..<12, using: &random))
          do {
            _ = try Self.push(image, to: bucket, &memory, at: version * 1000)
          } catch is ModelBucket.Killed {
            memory = random.chance(50) ? MirrorMemory() : memory
          } catch is MirrorError {}
        }
      }
      let last = try #require(history.images.last)
      bucket.disarm()
      _ = try Self.push(last, to: bucket, &memory, at: 10_000)
      #expect(
        bucket.files[MirrorImage.timestampPath].map(SHA256Digest.of) == last.timestamp.sha256, "seed \(seed)")
    }
  }

  @Test func `a version that run publishes while a command asks the mirror is not another publisher's`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let (newer, own) = (deployment.publication, PublicationDirectory(deployment.folder("own")))
    try FileManager.default.copyItem(atPath: newer.path, toPath: own.path)
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step()
    let bucket = ModelBucket()
    let mirror = Mirror(bucket, Self.options, stateFolder: deployment.folder("state"))
    _ = try mirror.bringUpToDate(newer, now: .now())
    #expect(throws: MirrorFailure.self) { try mirror.compare(own) }
    bucket.interrupt(at: 0) {
      try? Folder.removeAll(own.path)
      try? Folder.rename(newer.path, to: own.path)
    }
    try mirror.compare(own)
  }

  @Test func `foreign metadata is reported and replaced only if the operator confirms`() throws {
    let history = try History(versions: 2)
    let bucket = ModelBucket { Self.check($0, "") }
    var memory = MirrorMemory()
    _ = try Self.push(history.images[0], to: bucket, &memory)
    let path = "metadata/\(history.images[1].published.snapshot.version).snapshot.json"
    bucket.files[path] = Array("{}".utf8)
    #expect(throws: MirrorError.rival(path: path)) { try Self.push(history.images[1], to: bucket, &memory) }
    #expect(bucket.files[path] == Array("{}".utf8))
    var options = Self.options
    options.replaces = true
    #expect(try Self.push(history.images[1], to: bucket, &memory, options).isCommitted)
  }

  @Test func `an emptied mirror counts as an unmounted disk, and a full check by hand restores all files`()
    throws
  {
    let history = try History(versions: 1)
    let (image, bucket) = (history.images[0], ModelBucket())
    var memory = MirrorMemory()
    _ = try Self.push(image, to: bucket, &memory)
    bucket.files = [:]
    #expect(throws: MirrorError.vanished) {
      try Self.push(image, to: bucket, &memory, at: MirrorMemory.listSeconds)
    }
    var options = Self.options
    options.isByHand = true
    _ = try Self.push(image, to: bucket, &memory, options)
    Self.check(bucket.files, "emptied")
    #expect(!MirrorError.vanished.stopsPublisher && MirrorError.forked(version: 1).stopsPublisher)
    #expect(bucket.files.count == image.paths.count)
    bucket.files[image.objects[0].path]?.removeLast()
    _ = try Self.push(image, to: bucket, &memory, options)
    Self.check(bucket.files, "damaged")
    withExtendedLifetime(history) {}
  }

  @Test func `a mirror that went back to an older version gets all files and keeps those in use`() throws {
    let history = try History(versions: 4)
    let bucket = ModelBucket { Self.check($0, "") }
    var (memory, options) = (MirrorMemory(), Self.options)
    options.looksFirst = true
    _ = try Self.push(history.images[0], to: bucket, &memory)
    let old = bucket.files
    for image in history.images[1...2] { _ = try Self.push(image, to: bucket, &memory) }
    for image in history.images[2...3] {
      bucket.files = old
      var known = memory
      #expect(try Self.push(image, to: bucket, &known, at: 100, options).isCommitted)
      #expect(bucket.files[MirrorImage.timestampPath].map(SHA256Digest.of) == image.timestamp.sha256)
      #expect(bucket.files.count == history.images[0].paths.union(image.paths).count)
    }
  }

  @Test func `files of another publication stay untouched`() throws {
    let (one, other) = (try History(versions: 1), try History(versions: 1))
    let bucket = ModelBucket()
    var memory = MirrorMemory()
    _ = try Self.push(one.images[0], to: bucket, &memory)
    let shown = bucket.files
    memory = MirrorMemory()
    #expect(throws: MirrorError.foreign) { try Self.push(other.images[0], to: bucket, &memory) }
    #expect(bucket.files == shown)
  }

  @Test func `unreferenced objects are deleted after the grace period but the operator's files are not`()
    throws
  {
    let history = try History(versions: 4)
    let bucket = ModelBucket { Self.check($0, "") }
    let own = ["targets/robots.txt", "metadata/notes.json", "metadata/1.own.json"]
    for name in own { bucket.files[name] = [1] }
    var memory = MirrorMemory()
    for image in history.images { _ = try Self.push(image, to: bucket, &memory) }
    let gone = Set(history.images[0].paths).subtracting(history.images[3].paths).filter(
      MirrorImage.isRemovable)
    #expect(!gone.isEmpty && gone.allSatisfy { bucket.files[$0] != nil })
    #expect(try Self.push(history.images[3], to: bucket, &memory, at: 59).removed == 0)
    #expect(try Self.push(history.images[3], to: bucket, &memory, at: 60).removed >= gone.count)
    #expect(Set(bucket.files.keys) == history.images[3].paths.union(own))
  }

  @Test func `in a folder, only the publication's temporary files are removed`() throws {
    let (folder, history) = (try TemporaryFolder(inMemory: true), try History(versions: 1))
    for top in ["metadata", "targets"] { try Folder.create(folder(top)) }
    let own = [
      "targets/notes.tmp", "metadata/report.tmp", "metadata/1.own.json.tmp", "metadata/1..targets.json.tmp",
      "metadata/+1.targets.json.tmp",
    ]
    let ours = [
      "metadata/timestamp.json.tmp", "metadata/1.root.json.tmp", "metadata/2.my-1.json.tmp",
      "targets/my/1/\(String(repeating: "a", count: 64)).x.tmp",
    ]
    try Folder.create(folder("targets/my/1"))
    for name in own + ours { try DurableFile.replace(folder(name), with: [1]) }
    let store = FolderStore(folder.path)
    // Before anything is written, because a full disk may lack the space.
    #expect(try Set(store.list().keys) == Set(own) && !ours.contains { Folder.exists(folder($0)) })
    var memory = MirrorMemory()
    for seconds in [0, 100] { _ = try Self.push(history.images[0], to: store, &memory, at: seconds) }
    #expect(try Set(store.list().keys) == history.images[0].paths.union(own))
  }

  @Test func `a folder on another disk, to which a symbolic link in the mirror leads, is listed`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    for name in ["disk/1", "mirror/targets"] { try Folder.create(folder(name)) }
    try DurableFile.replace(folder("disk/1/object"), with: [1])
    #expect(symlink(folder("disk"), folder("mirror/targets/my")) == 0)
    #expect(try FolderStore(folder("mirror")).list() == ["targets/my/1/object": 1])
  }

  @Test func `a mirror on which only a removal fails is not behind, and the next push removes the file`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let (bucket, now) = (ModelBucket(), UTCTime.now())
    let mirror = Mirror(bucket, Self.options, stateFolder: deployment.folder("state"))
    _ = try mirror.bringUpToDate(deployment.publication, now: now)
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step()
    _ = try mirror.bringUpToDate(deployment.publication, now: now)
    // The first request reads the timestamp.
    bucket.arm(.unavailable, at: 1)
    #expect(throws: MirrorFailure(mirror.place, .leftover(.away("no answer")))) {
      try mirror.bringUpToDate(deployment.publication, now: now.adding(seconds: 100))
    }
    #expect(mirror.behindSince == nil && MirrorError.leftover(.noPlace).isHarmless)
    #expect(try mirror.bringUpToDate(deployment.publication, now: now.adding(seconds: 200)).removed > 0)
  }

  @Test func `a full mirror removes obsolete files, so that the next push has room`() throws {
    let history = try History(versions: 4)
    let bucket = ModelBucket { Self.check($0, "full") }
    var memory = MirrorMemory()
    for image in history.images.dropLast() { _ = try Self.push(image, to: bucket, &memory) }
    bucket.fill()
    for at in [59, 60] {
      #expect(throws: MirrorError.refused("no room")) {
        try Self.push(history.images[3], to: bucket, &memory, at: at)
      }
    }
    #expect(try Self.push(history.images[3], to: bucket, &memory, at: 61).isCommitted)
    #expect(memory.shows(history.images[3]))
  }

  @Test func `an obsolete file that stays does not keep the others, but ten such files end the push`()
    throws
  {
    let history = try History(versions: 7)
    let bucket = ModelBucket()
    var memory = MirrorMemory()
    for image in history.images { _ = try Self.push(image, to: bucket, &memory) }
    let obsolete = memory.unnamed.keys.sorted()
    for stuck in [obsolete, [obsolete[0]]] {
      bucket.keep(stuck)
      let before = bucket.requests
      #expect(throws: MirrorError.leftover(.refused("no permission"))) {
        try Self.push(history.images[6], to: bucket, &memory, at: 100)
      }
      // The first request reads the timestamp.
      #expect(bucket.requests - before == 1 + (stuck == obsolete ? 10 : obsolete.count))
    }
    #expect(obsolete.count > 10 && Array(memory.unnamed.keys) == [obsolete[0]])
    #expect(obsolete.filter { bucket.files[$0] != nil } == [obsolete[0]] && memory.behindSince == nil)
  }

  @Test func `a version that appears during a push is mirrored by the same push`() throws {
    nonisolated(unsafe) let deployment = try PublisherFixture.deployment()
    let bucket = ModelBucket { Self.check($0, "") }
    let mirror = Mirror(bucket, Self.options, stateFolder: deployment.folder("state"))
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    let first = try deployment.publication.metadata("timestamp.json")
    bucket.interrupt(at: 1) { _ = try? deployment.step() }
    #expect(try mirror.bringUpToDate(deployment.publication, now: .now()).isCommitted)
    #expect(try deployment.publication.metadata("timestamp.json") != first)
    #expect(try bucket.files[MirrorImage.timestampPath] == deployment.publication.metadata("timestamp.json"))
  }

  @Test func `the grace period begins when a long push ends`() throws {
    let history = try History(versions: 2)
    let now = UTCTime(secondsSinceEpoch: 1_000_000)
    var push = MirrorPush(
      history.images[0], to: ModelBucket(), MirrorMemory(), Self.options, now: now, remember: { _ in })
    push.begun -= .seconds(10)
    try push.run()
    #expect(push.memory.commit.map { $0.at >= now.adding(seconds: 10) } == true)
  }

  @Test func `a store without conditional writes is used only if the operator confirms a single publisher`()
    throws
  {
    let history = try History(versions: 3)
    let bucket = ModelBucket { Self.check($0, "") }
    var (memory, options) = (MirrorMemory(), Self.options)
    #expect(throws: MirrorError.ignoresConditions("501")) {
      try Self.push(history.images[0], to: PlainBucket(inner: bucket), &memory)
    }
    options.isFenced = false
    for image in history.images { _ = try Self.push(image, to: PlainBucket(inner: bucket), &memory, options) }
    #expect(
      bucket.files[MirrorImage.timestampPath].map(SHA256Digest.of) == history.images[2].timestamp.sha256)
  }
}

@Suite struct MirrorProbeTests {
  @Test
  func `the probe detects a store that ignores conditions and leaves nothing in one that honours them`()
    throws
  {
    let good = ModelBucket()
    try MirrorProbe(good).run()
    #expect(good.files.isEmpty)
    for fault in [ModelBucket.Fault.timeoutBefore, .unavailable] {
      good.arm(fault, at: 0)
      #expect(throws: MirrorError.away("503")) { try MirrorProbe(good).run() }
    }
    #expect(throws: MirrorError.self) { try MirrorProbe(PlainBucket(isCareless: true, inner: good)).run() }
  }

  @Test(arguments: [(isFenced: true, requests: 8), (isFenced: false, requests: 5)])
  func `a check fails if the store rejects any request that a push needs`(
    _ check: (isFenced: Bool, requests: Int)
  ) throws {
    let (bucket, folder) = (ModelBucket(), try TemporaryFolder(inMemory: true))
    var options = MirrorOptions()
    options.isFenced = check.isFenced
    let mirror = Mirror(bucket, options, stateFolder: folder("state"))
    for number in 0..<check.requests {
      bucket.arm(.unavailable, at: number)
      #expect(throws: MirrorFailure.self, "request \(number)") { try mirror.check() }
    }
    let before = bucket.requests
    bucket.files = ["targets/robots.txt": [1]]
    #expect(try mirror.check().hasPrefix("writable, and "))
    #expect(bucket.requests - before == check.requests && bucket.files.count == 1)
  }
}

/// Rejects each conditional put, as stores without conditions do, or ignores the conditions.
private struct PlainBucket: MirrorStore {
  var isCareless = false
  let inner: ModelBucket
  var place: String { inner.place }
  func list() throws -> [String: Int] { try inner.list() }
  func read(_ path: String) throws -> StoredFile? { try inner.read(path) }
  func length(_ path: String) throws -> Int? { try inner.length(path) }
  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply {
    guard isCareless || condition == .none else { throw MirrorError.ignoresConditions("501") }
    return try inner.put(file, .none)
  }
  func remove(_ path: String) throws { try inner.remove(path) }
  func isPublic(_ path: String) -> Bool? { nil }
  func download(_ path: String, bytes: Int, to sink: String) -> SHA256Digest? { nil }
}
