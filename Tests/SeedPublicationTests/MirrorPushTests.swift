import Foundation
import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

/// A mirror shows what was published, at one moment after the other, and never half of it.
@Suite struct MirrorPushTests {
  /// A publication and what it was at each of its versions.
  private struct History {
    let deployment: TestDeployment
    let images: [MirrorImage]

    init(versions: Int) throws {
      deployment = try PublisherFixture.deployment()
      deployment.job.retainedSnapshots = 1
      var images = [try MirrorImage(of: deployment.publication)]
      for version in 1..<versions {
        try deployment.origin("UPDATE stop SET name = 'name \(version)' WHERE id = 1")
        _ = try deployment.step(forcingSnapshot: version.isMultiple(of: 2))
        images.append(try MirrorImage(of: deployment.publication))
      }
      self.images = images
    }
  }

  private static var options: MirrorOptions {
    var options = MirrorOptions()
    options.pause = { _ in }
    options.graceSeconds = 60
    return options
  }

  /// What a client that comes now can follow from the timestamp on is all there.
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

  @Test func `a change costs a put for each file that is new, and nothing where nothing changed`() throws {
    let history = try History(versions: 2)
    let (bucket, memory) = (ModelBucket(), MirrorMemory())
    var known = memory
    let first = try Self.push(history.images[0], to: bucket, &known)
    #expect(first.isCommitted && first.files == history.images[0].paths.count)
    let before = bucket.requests
    let second = try Self.push(history.images[1], to: bucket, &known)
    // A delta, the series' role, the snapshot role, the timestamp.
    #expect(second.files == 4 && bucket.requests - before == 4)
    #expect(try Self.push(history.images[1], to: bucket, &known) == MirrorReport())
    #expect(bucket.requests - before == 4)
    #expect(known.commit?.version == history.images[1].version && known.behindSince == nil)
  }

  @Test func `whatever becomes of any one request, nothing is torn and the next push converges`() throws {
    let history = try History(versions: 3)
    for fault in ModelBucket.Fault.allCases {
      var number = 0
      while try !isPast(fault, at: number, history) { number += 1 }
      #expect(number > 10, "\(fault): too few requests were hit")
    }
  }

  /// Pushes three versions while one request meets a fault; whether all of them were made before it was due.
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
        // What it knew dies with it, but for what was kept.
      } catch is MirrorError { memory = known }
    }
    let last = try #require(history.images.last)
    // What is pushed next finds no fault, and makes good all that was missed.
    let isPast = bucket.isArmed
    if isPast { bucket.disarm() }
    _ = try Self.push(last, to: bucket, &memory)
    #expect(bucket.files[MirrorImage.timestampPath].map(SHA256Digest.of) == last.timestamp.sha256, "\(note)")
    #expect(memory.problem == nil && memory.behindSince == nil, "\(note)")
    return isPast
  }

  @Test func `a random life of faults and lost memories ends with what is published`() throws {
    let history = try History(versions: 5)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    for _ in 0..<40 {
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

  @Test func `of two publishers with the same keys one stops, and what the other one put stays`() throws {
    let (bucket, scene) = (ModelBucket { Self.check($0, "") }, try Fork())
    var (one, other) = (MirrorMemory(), MirrorMemory())
    _ = try Self.push(scene.common, to: bucket, &one)
    _ = try Self.push(scene.common, to: bucket, &other)
    _ = try Self.push(scene.ours, to: bucket, &one)
    let shown = bucket.files
    #expect(throws: MirrorError.self) { try Self.push(scene.theirs, to: bucket, &other) }
    #expect(throws: MirrorError.ahead(there: scene.ours.version, here: scene.common.version)) {
      var memory = MirrorMemory()
      _ = try Self.push(scene.common, to: bucket, &memory)
    }
    #expect(bucket.files.filter { shown[$0.key] != nil } == shown)
    #expect(MirrorError.forked(version: 1).stopsPublisher && !MirrorError.vanished.stopsPublisher)
  }

  /// Two publications that parted: a disk was copied.
  private struct Fork {
    let common: MirrorImage
    let ours: MirrorImage
    let theirs: MirrorImage
    /// They keep the files of the images.
    private let deployments: [TestDeployment]

    init() throws {
      let deployment = try PublisherFixture.deployment()
      common = try MirrorImage(of: deployment.publication)
      let copy = PublicationDirectory(deployment.folder("copy"))
      try FileManager.default.copyItem(atPath: deployment.publication.path, toPath: copy.path)
      try deployment.origin("UPDATE stop SET name = 'ours' WHERE id = 1")
      _ = try deployment.step()
      ours = try MirrorImage(of: deployment.publication)
      try deployment.origin("UPDATE stop SET name = 'theirs' WHERE id = 1")
      let publisher = Publisher(copy, stateFolder: deployment.folder("other"), keys: deployment.keys)
      _ = try publisher.step(deployment.job, now: deployment.clock.adding(seconds: 5))
      theirs = try MirrorImage(of: copy)
      deployments = [deployment]
    }
  }

  @Test func `metadata that somebody left behind is named, and replaced where an operator says so`() throws {
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

  @Test func `a place that was emptied is an unmounted disk until an operator says that it is not`() throws {
    let history = try History(versions: 2)
    let bucket = ModelBucket()
    var memory = MirrorMemory()
    _ = try Self.push(history.images[0], to: bucket, &memory)
    bucket.files = [:]
    #expect(throws: MirrorError.vanished) {
      try Self.push(history.images[0], to: bucket, &memory, at: MirrorMemory.listSeconds)
    }
    var options = Self.options
    options.isByHand = true
    _ = try Self.push(history.images[0], to: bucket, &memory, options)
    Self.check(bucket.files, "")
    #expect(bucket.files.count == history.images[0].paths.count)
  }

  @Test func `what another publication put there is left alone`() throws {
    let (one, other) = (try History(versions: 1), try History(versions: 1))
    let bucket = ModelBucket()
    var memory = MirrorMemory()
    _ = try Self.push(one.images[0], to: bucket, &memory)
    let shown = bucket.files
    memory = MirrorMemory()
    #expect(throws: MirrorError.foreign) { try Self.push(other.images[0], to: bucket, &memory) }
    #expect(bucket.files == shown)
  }

  @Test func `what nothing leads to any more goes after the grace, an operator's own files never`() throws {
    let history = try History(versions: 4)
    let bucket = ModelBucket { Self.check($0, "") }
    bucket.files = ["targets/robots.txt": [1], "metadata/notes.json": [2]]
    var memory = MirrorMemory()
    for image in history.images { _ = try Self.push(image, to: bucket, &memory) }
    let gone = Set(history.images[0].paths).subtracting(history.images[3].paths).filter(
      MirrorImage.isRemovable)
    #expect(!gone.isEmpty && gone.allSatisfy { bucket.files[$0] != nil })
    #expect(try Self.push(history.images[3], to: bucket, &memory, at: 59).removed == 0)
    #expect(try Self.push(history.images[3], to: bucket, &memory, at: 60).removed >= gone.count)
    #expect(
      Set(bucket.files.keys) == history.images[3].paths.union(["targets/robots.txt", "metadata/notes.json"]))
  }

  @Test func `a store without conditions is filled where an operator says that nobody else publishes there`()
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

  @Test func `a damaged object is put in place again by a push that looks at all`() throws {
    let history = try History(versions: 1)
    let bucket = ModelBucket()
    var memory = MirrorMemory()
    _ = try Self.push(history.images[0], to: bucket, &memory)
    let object = history.images[0].objects[0].path
    bucket.files[object]?.removeLast()
    var options = Self.options
    options.isByHand = true
    _ = try Self.push(history.images[0], to: bucket, &memory, options)
    Self.check(bucket.files, "")
  }
}

/// What a put's answer leads to, in one table.
@Suite struct MirrorDecisionTests {
  @Test func `each answer to each put has one consequence`() {
    let nowhere = MirrorDecision(.absent, to: .object)
    guard case .fail(.refused) = nowhere else {
      Issue.record("\(nowhere)")
      return
    }
    for kind in MirrorDecision.Kind.allCases {
      #expect(MirrorDecision(.done(tag: "t"), to: kind) == .done(tag: "t"))
      #expect(MirrorDecision(.unmet, to: kind) == .compare)
    }
    for reply in [PutReply.disputed, .absent, .unheard("503")] {
      #expect(MirrorDecision(reply, to: .commit) == .compare, "the timestamp there decides")
    }
    #expect(MirrorDecision(.unheard("503"), to: .object) == .again("503"))
    #expect(MirrorDecision(.unheard("503"), to: .metadata) == .again("503"))
  }

  @Test
  func `a store that ignores conditions is found out, one that honours them keeps nothing of the probe`()
    throws
  {
    let good = ModelBucket()
    try MirrorProbe(good).run()
    #expect(good.files.isEmpty)
    for fault in [ModelBucket.Fault.timeoutBefore, .unavailable] {
      good.arm(fault, at: 0)
      #expect(throws: MirrorError.away("503")) { try MirrorProbe(good).run() }
    }
    #expect(throws: MirrorError.self) { try MirrorProbe(CarelessBucket()).run() }
  }
}

/// Refuses each put with a condition, as stores without conditions do.
private struct PlainBucket: MirrorStore {
  let inner: ModelBucket
  var place: String { inner.place }
  func list() throws -> [String: Int] { try inner.list() }
  func read(_ path: String) throws -> StoredFile? { try inner.read(path) }
  func length(_ path: String) throws -> Int? { try inner.length(path) }
  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply {
    guard condition == .none else { throw MirrorError.ignoresConditions("501") }
    return try inner.put(file, .none)
  }
  func remove(_ path: String) throws { try inner.remove(path) }
  func isPublic(_ path: String) -> Bool? { nil }
}

/// Takes every put.
private struct CarelessBucket: MirrorStore {
  let inner = ModelBucket()
  var place: String { inner.place }
  func list() throws -> [String: Int] { try inner.list() }
  func read(_ path: String) throws -> StoredFile? { try inner.read(path) }
  func length(_ path: String) throws -> Int? { try inner.length(path) }
  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply { try inner.put(file, .none) }
  func remove(_ path: String) throws { try inner.remove(path) }
  func isPublic(_ path: String) -> Bool? { nil }
}
