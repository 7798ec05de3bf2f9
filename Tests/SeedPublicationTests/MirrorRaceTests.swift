import Foundation
import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

/// Two publishers with the same keys, from copies of one disk, and one bucket.
@Suite struct MirrorRaceTests {
  /// Successive publications of two publishers after they diverged.
  struct Twins {
    let common: MirrorImage
    let chains: [[MirrorImage]]
    /// Keeps the files of the images.
    private let deployment: TestDeployment

    init(versions: Int) throws {
      deployment = try PublisherFixture.deployment()
      common = try MirrorImage(of: deployment.publication)
      let copy = PublicationDirectory(deployment.folder("copy"))
      try FileManager.default.copyItem(atPath: deployment.publication.path, toPath: copy.path)
      let twin = Publisher(copy, stateFolder: deployment.folder("other"), keys: KeySource(deployment.keys))
      var chains: [[MirrorImage]] = [[], []]
      for version in 1...versions {
        try deployment.origin("UPDATE stop SET name = 'name \(version)' WHERE id = 1")
        _ = try deployment.step()
        chains[0].append(try MirrorImage(of: deployment.publication))
        // Every other change is the same for both, because they read one origin.
        if !version.isMultiple(of: 2) {
          try deployment.origin("UPDATE stop SET name = 'other \(version)' WHERE id = 1")
        }
        // The first versions are signed in the same second.
        _ = try twin.step(deployment.job, now: deployment.clock.adding(seconds: version / 2))
        chains[1].append(try MirrorImage(of: copy))
      }
      self.chains = chains
    }
  }

  private final class Runner: @unchecked Sendable {
    let images: [MirrorImage]
    /// The memory on its disk.
    var memory = MirrorMemory()
    var place = 0
    var isStopped = false

    init(_ common: MirrorImage, _ chain: [MirrorImage]) { images = [common] + chain }

    var image: MirrorImage { images[place] }

    func step() { place = min(place + 1, images.count - 1) }

    /// Like `run`: a conflict with another publisher ends it.
    func push(to bucket: ModelBucket, replacing: Bool = false) {
      guard !isStopped else { return }
      var options = MirrorOptions()
      options.pause = { _ in }
      options.replaces = replacing
      let now = UTCTime(secondsSinceEpoch: 1_000_000)
      var push = MirrorPush(image, to: bucket, memory, options, now: now) { self.memory = $0 }
      do {
        try push.run()
        memory = push.memory
      } catch is ModelBucket.Killed {
        // Keep only the saved memory.
      } catch let error as MirrorError {
        memory = push.memory
        isStopped = error.stopsPublisher
      } catch { Issue.record("\(error)") }
    }
  }

  /// Records each commit that clients can see in a bucket.
  private final class Witness: @unchecked Sendable {
    private struct Commit {
      let version: Int
      let sha256: SHA256Digest
      let needed: [String: SHA256Digest]
    }

    private var commits: [Commit] = []
    private(set) var problems: [String] = []
    let note: String

    init(_ note: String) { self.note = note }

    var versions: [Int] { commits.map(\.version) }
    var digests: [SHA256Digest] { commits.map(\.sha256) }

    func look(at files: [String: [UInt8]]) {
      guard let bytes = files[MirrorImage.timestampPath] else { return }
      let sha256 = SHA256Digest.of(bytes)
      if commits.last?.sha256 != sha256 { note(files, sha256) }
      for (path, _) in commits.last?.needed ?? [:] where files[path] == nil {
        problems.append("\(path) is gone")
      }
    }

    private func note(_ files: [String: [UInt8]], _ sha256: SHA256Digest) {
      do {
        let published = try PublishedMetadata(root: files["metadata/1.root.json"] ?? []) {
          files["metadata/\($0)"]
        }
        let version = published.timestamp.version
        if version <= commits.last?.version ?? 0 { problems.append("from \(versions) back to \(version)") }
        let objects = published.series.values.flatMap(\.metadata.objects)
        for object in objects where files[object.filePath].map(SHA256Digest.of) != object.sha256 {
          problems.append("version \(version) names \(object.filePath)")
        }
        let needed = Dictionary(
          objects.map { ($0.filePath, $0.sha256) }, uniquingKeysWith: { first, _ in first })
        commits.append(Commit(version: version, sha256: sha256, needed: needed))
      } catch { problems.append("\(error)") }
    }
  }

  @Test func `metadata that another publisher left without a timestamp is not taken for one's own`() throws {
    let twins = try Twins(versions: 3)
    let witness = Witness("left metadata")
    let bucket = ModelBucket { witness.look(at: $0) }
    let runners = twins.chains.map { Runner(twins.common, $0) }
    runners[0].push(to: bucket)
    for _ in 1...2 { runners[0].step() }
    // It dies after two deltas and two roles, before the timestamp.
    bucket.arm(.killBefore, at: 4)
    runners[0].push(to: bucket)
    // The other one's second version has metadata of the same names and lengths; the third has other names.
    for commits in [2, 2, 3] {
      runners[1].step()
      runners[1].push(to: bucket)
      #expect(witness.versions.count == commits)
    }
    #expect(witness.problems.isEmpty)
  }

  @Test func `files that another publisher put before its timestamp are not removed`() throws {
    let twins = try Twins(versions: 1)
    let bucket = ModelBucket()
    let runners = twins.chains.map { Runner(twins.common, $0) }
    runners[0].step()
    // It dies after the timestamp's read, the listing and all objects.
    bucket.arm(.killBefore, at: 2 + runners[0].image.objects.count)
    runners[0].push(to: bucket)
    let left = Set(bucket.files.keys).subtracting(twins.common.paths)
    #expect(!left.isEmpty)
    // The second push would remove files that became obsolete with the first one.
    for _ in 1...2 { runners[1].push(to: bucket) }
    #expect(runners[1].memory.shows(twins.common))
    #expect(left.isSubset(of: bucket.files.keys))
  }

  private static let races = Stage.pick(quick: 25, full: 200, deep: 200)

  @Test
  func `in many races each version has one commit, all of one publisher, and the other stops`()
    throws
  {
    let twins = try Twins(versions: 4)
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    var losers = 0
    for race in 1...Self.races {
      losers += try run(twins, &random, "seed \(seed), race \(race)") ? 1 : 0
    }
    #expect(losers == Self.races, "seed \(seed)")
  }

  /// Returns whether one of the two was stopped.
  private func run(_ twins: Twins, _ random: inout SplitMix, _ note: String) throws -> Bool {
    let witness = Witness(note)
    let bucket = ModelBucket { witness.look(at: $0) }
    let runners = twins.chains.map { Runner(twins.common, $0) }
    // Each publisher may have used the mirror before.
    for runner in runners where random.chance(80) { runner.push(to: bucket) }
    for _ in 0..<8 {
      let one = Int.random(in: 0...1, using: &random)
      let (runner, other) = (runners[one], runners[1 - one])
      if random.chance(60) { runner.step() }
      if random.chance(30) {
        bucket.arm(random.pick(ModelBucket.Fault.allCases), at: Int.random(in: 0..<6, using: &random))
      } else if random.chance(60) {
        let steps = random.chance(70)
        bucket.interrupt(at: Int.random(in: 0..<6, using: &random)) {
          if steps { other.step() }
          other.push(to: bucket)
        }
      }
      runner.push(to: bucket)
      bucket.disarm()
    }
    // At the end each has a new version and pushes it without faults.
    for runner in runners + runners { runner.step() }
    for runner in runners { runner.push(to: bucket) }
    // Unreferenced metadata may block both, so the operator decides who continues.
    if !runners.contains(where: \.isStopped) { runners[0].push(to: bucket, replacing: true) }
    for runner in runners { runner.push(to: bucket) }
    #expect(witness.problems.isEmpty, "\(note): \(witness.problems)")
    let standing = runners.filter { !$0.isStopped }
    #expect(standing.count == 1, "\(note)")
    guard let winner = standing.first, let loser = runners.first(where: \.isStopped) else { return false }
    winner.push(to: bucket, replacing: true)
    #expect(witness.digests.last == winner.image.timestamp.sha256, "\(note)")
    let lost = Set(loser.images.dropFirst().map(\.timestamp.sha256))
    #expect(lost.isDisjoint(with: witness.digests), "\(note): commits of both")
    return true
  }
}
