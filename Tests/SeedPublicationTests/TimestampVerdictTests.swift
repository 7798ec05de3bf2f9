import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

@Suite struct TimestampVerdictTests {
  /// Two publishers after they diverged; the rows of their second versions are the same.
  private let twins: MirrorRaceTests.Twins
  private var ours: [MirrorImage] { twins.chains[0] }
  private var theirs: [MirrorImage] { twins.chains[1] }

  init() throws { twins = try MirrorRaceTests.Twins(versions: 3) }

  private static func bytes(_ image: MirrorImage) -> [UInt8]? {
    if case .bytes(let bytes) = image.timestamp.content { bytes } else { nil }
  }

  private func claim(_ put: [MirrorImage] = [], inheritsBelow: Int = 0, undisputed: Bool = false)
    -> MirrorClaim
  {
    MirrorClaim(
      put: Set(put.map(\.timestamp.sha256.hex)), inheritsBelow: inheritsBelow, isUndisputed: undisputed)
  }

  private struct Case {
    let what: String
    let found: [UInt8]?
    let claim: MirrorClaim
    let verdict: TimestampVerdict
  }

  @Test func `each kind of existing timestamp has one verdict`() throws {
    let (here, lower) = (ours[1].version, ours[0].version)
    let doubtful = TimestampVerdict.doubtful(
      version: lower, snapshot: ours[0].published.timestamp.snapshot.version)
    let overtaken = TimestampVerdict.bad(.overtaken(there: lower, here: here))
    let other = try PublisherFixture.deployment()
    defer { withExtendedLifetime(other) {} }
    let foreign = try MirrorImage(of: other.publication)
    let cases = [
      Case(what: "nothing", found: nil, claim: claim(ours), verdict: .absent),
      Case(what: "our own", found: Self.bytes(ours[1]), claim: claim(), verdict: .same),
      Case(what: "what was put", found: Self.bytes(ours[0]), claim: claim([ours[0]]), verdict: .older),
      Case(
        what: "what another one put", found: Self.bytes(theirs[0]), claim: claim([ours[0]]),
        verdict: overtaken),
      Case(
        what: "what was not put", found: Self.bytes(ours[0]), claim: claim([twins.common]), verdict: overtaken
      ),
      Case(what: "without a memory", found: Self.bytes(ours[0]), claim: claim(), verdict: doubtful),
      Case(
        what: "inherited", found: Self.bytes(theirs[0]), claim: claim([ours[0]], inheritsBelow: here),
        verdict: .older),
      Case(
        what: "not inherited", found: Self.bytes(theirs[0]), claim: claim([ours[0]], inheritsBelow: lower),
        verdict: overtaken),
      Case(
        what: "an operator's word", found: Self.bytes(theirs[0]), claim: claim([ours[0]], undisputed: true),
        verdict: .older),
      Case(
        what: "a newer one", found: Self.bytes(ours[2]),
        claim: claim(ours, inheritsBelow: .max, undisputed: true),
        verdict: .bad(.ahead(there: ours[2].version, here: here))),
      Case(
        what: "the same version", found: Self.bytes(theirs[1]),
        claim: claim(theirs, inheritsBelow: .max, undisputed: true),
        verdict: .bad(.forked(version: here))),
      Case(
        what: "other keys", found: Self.bytes(foreign),
        claim: claim([foreign], inheritsBelow: .max, undisputed: true),
        verdict: .bad(.foreign)),
      Case(what: "no timestamp", found: [1, 2], claim: claim(), verdict: .bad(.foreign)),
    ]
    for entry in cases {
      #expect(TimestampVerdict(entry.found, ours[1], entry.claim) == entry.verdict, "\(entry.what)")
    }
  }

  /// The finding of a publisher without memory about a mirror that shows an image.
  private func finding(_ image: MirrorImage, _ shown: MirrorImage) throws -> TimestampJudge.Finding {
    let bucket = ModelBucket()
    var push = MirrorPush(shown, to: bucket, MirrorMemory(), MirrorOptions(), now: .now()) { _ in }
    try push.run()
    return try TimestampJudge(store: bucket, image: image, claim: claim()).look(
      at: bucket.read(MirrorImage.timestampPath))
  }

  @Test func `without memory the local files decide first and then the histories`() throws {
    #expect(try finding(ours[1], ours[0]) == .older)
    let overtaken = MirrorError.overtaken(there: theirs[1].version, here: ours[2].version)
    // The same rows in other files.
    #expect(throws: overtaken) { try finding(ours[2], theirs[1]) }
    for image in [ours[0], ours[1]] {
      let name = MetadataName.versioned(SnapshotRole.type, image.published.snapshot.version)
      try Folder.remove(image.publication.metadataFile(name))
    }
    #expect(try finding(ours[2], ours[0]) == .older)
    // Rows that were never published here.
    #expect(throws: MirrorError.overtaken(there: theirs[0].version, here: ours[1].version)) {
      try finding(ours[1], theirs[0])
    }
  }
}
