import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Promise 3: snapshots and deltas lead to the same state.
@Suite struct SameStateTests {
  /// Histories in batches, so that the runner can run them in parallel. A failure reports its seed.
  static let batches = Stage.pick(quick: 1, full: 8, deep: 40)
  static let historiesPerBatch = Stage.pick(quick: 2, full: 4, deep: 25)
  static let versions = Stage.pick(quick: 8, full: 20, deep: 20)

  @Test(arguments: Stage.seeds(batches))
  func `snapshot N equals snapshot M plus the deltas from M to N`(_ first: UInt64) throws {
    for index in 0..<Self.historiesPerBatch {
      let seed = first &+ UInt64(index)
      do {
        try History(seed: seed).run()
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  /// A history with a snapshot at every version.
  final class History {
    let seed: UInt64
    let history: RandomHistory
    let deployment: TestDeployment
    let plan: SeriesPlan
    var published: [Int: SeedRows] = [:]
    /// Cached digests of each version's rows, computed in full.
    var digests: [Int: SHA256Digest] = [:]

    init(seed: UInt64) throws {
      self.seed = seed
      history = try RandomHistory(seed: seed)
      deployment = try TestDeployment([model("1.0", HardSchema.sql)], in: try TemporaryFolder(inMemory: true))
      deployment.job.retainedSnapshots = .max
      plan = deployment.job.plans[0]
    }

    func run() throws {
      while published.count < SameStateTests.versions {
        try history.mutate()
        try history.write(to: deployment.originPath)
        try publish()
      }
      try compareAll()
    }

    private func publish() throws {
      let report = try deployment.step(forcingSnapshot: true)
      let version = try #require(report.series[0].version).number
      let rows = try history.rows()
      digests[version] = slowDigest(rows)
      if report.series[0].outcome == .unchanged {
        #expect(published[version] == rows, "seed \(seed): a change was not published")
      } else {
        #expect(published.updateValue(rows, forKey: version) == nil, "seed \(seed): a version came twice")
      }
    }

    private func compareAll() throws {
      let metadata = try deployment.metadata()
      let snapshots = metadata.objects.filter { if case .snapshot = $0.kind { true } else { false } }
      #expect(snapshots.count == SameStateTests.versions)
      for snapshot in snapshots.sorted(by: { $0.version < $1.version }) {
        let path = try deployment.expand(snapshot, to: "seed-\(snapshot.version).sqlite")
        try walk(from: path, at: snapshot, metadata)
        try WorkingSeed.remove(path)
      }
    }

    /// Applies every later delta to one snapshot and compares after each step.
    private func walk(from path: String, at snapshot: PublishedObject, _ metadata: SeriesMetadata) throws {
      let connection = try Connection(path, .writer)
      try check(connection, snapshot.version, snapshot.digest)
      let chain = try #require(
        DeltaChain.shortest(metadata.objects, from: snapshot.version, to: metadata.state.head))
      for delta in chain {
        let document = try deployment.publication.delta(delta)
        let before = try SeedTables.meta(connection).version
        let result = try connection.transaction {
          try DeltaApplier(connection, plan.schema, keyLimit: .max).apply(document)
        }
        try check(connection, delta.version, delta.digest)
        // Once per delta: every other walk starts elsewhere.
        if before == snapshot.version { try check(result.keys, from: before, to: delta.version) }
      }
    }

    /// Checks that the reported keys are exactly those by which the two versions differ.
    private func check(_ keys: [String: ChangedKeys], from: SeedVersion, to: SeedVersion) throws {
      let (before, after) = (try #require(published[from.number]), try #require(published[to.number]))
      for table in plan.schema.tables {
        let (old, new) = (before[table.name] ?? [:], after[table.name] ?? [:])
        let found = keys[table.name] ?? ChangedKeys()
        let place = Comment("seed \(seed): \(table.name) from \(from) to \(to)")
        #expect(Self.bytes(found.inserted) == Set(new.keys).subtracting(old.keys), place)
        #expect(Self.bytes(found.deleted) == Set(old.keys).subtracting(new.keys), place)
        let changed = old.filter { key, row in new[key].map { $0 != row } ?? false }
        #expect(Self.bytes(found.updated) == Set(changed.keys), place)
      }
    }

    private static func bytes(_ keys: [[SeedValue]]) -> Set<[UInt8]> {
      Set(keys.map { CanonicalRow.bytes(of: $0) })
    }

    private func check(_ connection: Connection, _ version: SeedVersion, _ digest: SHA256Digest) throws {
      let rows = try seedRows(connection, plan.schema)
      #expect(rows == published[version.number], "seed \(seed): other rows at version \(version)")
      #expect(digests[version.number] == digest, "seed \(seed): other digest at version \(version)")
      let meta = try SeedTables.meta(connection)
      #expect(meta.version == version && meta.digest == digest)
      try connection.execute("INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
    }
  }
}
