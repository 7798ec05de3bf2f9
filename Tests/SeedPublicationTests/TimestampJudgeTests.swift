import SeedFormat
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

@Suite struct TimestampJudgeTests {
  /// Two publishers after they diverged; the rows of their second versions are the same.
  private let twins: MirrorRaceTests.Twins
  private var ours: [MirrorImage] { twins.chains[0] }
  private var theirs: [MirrorImage] { twins.chains[1] }

  init() throws { twins = try MirrorRaceTests.Twins(versions: 3) }

  private typealias Claim = (memory: MirrorMemory, options: MirrorOptions)

  private func claim(
    _ put: [MirrorImage] = [], inheritsBelow: Int = 0, undisputed: Bool = false
  ) -> Claim {
    var (memory, options) = (MirrorMemory(), MirrorOptions())
    for image in put { memory.noteAttempt(image) }
    (options.inheritsBelow, options.replaces) = (inheritsBelow, undisputed)
    return (memory, options)
  }

  /// The finding about a mirror that shows these bytes.
  private func found(
    _ bytes: [UInt8]?, _ claim: Claim, here image: MirrorImage? = nil
  ) throws -> TimestampJudge.Finding {
    try TimestampJudge(image: image ?? ours[1], memory: claim.memory, options: claim.options)
      .look(at: bytes.map { StoredFile($0, tag: "") })
  }

  private func found(
    _ shown: MirrorImage, _ claim: Claim, here image: MirrorImage? = nil
  ) throws -> TimestampJudge.Finding {
    guard case .bytes(let bytes) = shown.timestamp.content else { preconditionFailure("a file") }
    return try found(bytes, claim, here: image)
  }

  @Test func `an older timestamp is replaced only if it was put from here, inherited or given up`() throws {
    let (here, lower) = (ours[1].version, ours[0].version)
    #expect(try found(nil, claim(ours)) == .absent)
    #expect(try found(ours[1], claim()) == .same)
    #expect(try found(ours[0], claim([ours[0]])) == .older)
    #expect(try found(theirs[0], claim([ours[0]], inheritsBelow: here)) == .older)
    #expect(try found(theirs[0], claim([ours[0]], undisputed: true)) == .older)
    for (image, claim) in [
      (theirs[0], claim([ours[0]])), (theirs[0], claim()),
      (theirs[0], claim([ours[0]], inheritsBelow: lower)),
    ] {
      #expect(throws: MirrorError.overtaken(there: lower, here: here)) { try found(image, claim) }
    }
  }

  @Test func `a newer or foreign timestamp is never replaced`() throws {
    let other = try PublisherFixture.deployment()
    defer { withExtendedLifetime(other) {} }
    let foreign = try MirrorImage(of: other.publication)
    let all = claim(ours + theirs + [foreign], inheritsBelow: .max, undisputed: true)
    #expect(throws: MirrorError.ahead(there: ours[2].version, here: ours[1].version)) {
      try found(ours[2], all)
    }
    #expect(throws: MirrorError.forked(version: ours[1].version)) { try found(theirs[1], all) }
    // Both were signed in the same second.
    #expect(throws: MirrorError.forked(version: ours[0].version)) {
      try found(theirs[0], all, here: ours[0])
    }
    #expect(throws: MirrorError.foreign) { try found(foreign, all) }
    #expect(throws: MirrorError.foreign) { try found([1, 2], claim()) }
  }

  @Test func `after versions restarted under new keys, the publisher's own higher timestamp is replaced`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let (publication, now) = (deployment.publication, deployment.clock)
    let root = try #require(try publication.metadata("1.root.json"))
    try deployment.publisher.beginEpoch([deployment.job], root: root, now: now.adding(days: 3650)) { _, _ in }
    let raised = try MirrorImage(of: publication)
    let new = KeyRing([.timestamp: [.generate()], .snapshot: [.generate()]])
    let publisher = Publisher(
      publication, stateFolder: deployment.folder("state"), keys: KeySource(deployment.keys.adding(new)))
    let verifiers = Dictionary(
      uniqueKeysWithValues: [KeyRole.timestamp, .snapshot].map { ($0, new.verifiers($0)) })
    _ = try publisher.changeKeys(lifetimeSeconds: RepositorySigner.onlineSeconds, now: now) {
      published, signer in
      try OfflineChange(root: signer.root(replacing: verifiers, after: published))
    }
    let image = try MirrorImage(of: publication)
    #expect(image.version < raised.version)
    for claim in [claim(), claim([raised])] { #expect(try found(raised, claim, here: image) == .older) }
    let name = MetadataName.versioned(SnapshotRole.type, raised.published.snapshot.version)
    try Folder.remove(publication.metadataFile(name))
    #expect(throws: MirrorError.ahead(there: raised.version, here: image.version)) {
      try found(raised, claim(), here: image)
    }
  }

  @Test func `if a power failure undid the record, the files that are still here decide`() throws {
    let claims = [claim(), claim([twins.common])]
    for claim in claims {
      #expect(try found(ours[0], claim) == .older)
      // The same rows in other files.
      #expect(throws: MirrorError.overtaken(there: theirs[1].version, here: ours[2].version)) {
        try found(theirs[1], claim, here: ours[2])
      }
    }
    let name = MetadataName.versioned(SnapshotRole.type, ours[0].published.snapshot.version)
    try Folder.remove(ours[0].publication.metadataFile(name))
    for claim in claims {
      #expect(throws: MirrorError.overtaken(there: ours[0].version, here: ours[1].version)) {
        try found(ours[0], claim)
      }
    }
  }
}
