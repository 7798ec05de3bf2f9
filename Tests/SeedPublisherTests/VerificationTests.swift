import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// Verification reports every defect of a publication and accepts a sound one.
@Suite struct VerificationTests {
  /// Two snapshots in two encodings, deltas between and after them.
  private func deployment() throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment()
    deployment.job.encodings = [.gzip, .xz]
    for (index, name) in ["x", "y", "z"].enumerated() {
      try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1", forcingSnapshot: index == 1)
    }
    return deployment
  }

  private func verify(
    _ deployment: TestDeployment, anchor: String? = nil, after days: Int = 0
  ) throws -> VerificationReport {
    let scratch = deployment.folder("scratch")
    try Folder.create(scratch)
    let report = try PublicationVerifier(
      deployment.publication, scratch: scratch, anchor: anchor,
      now: deployment.clock.adding(days: days)
    ).run()
    #expect(try Folder.names(in: scratch).isEmpty, "files of the moment stay behind")
    return report
  }

  private func errors(_ report: VerificationReport) -> [Finding] {
    report.findings.filter { $0.severity == .error }
  }

  /// The files that current metadata lists, relative to the publication.
  private func namedFiles(_ deployment: TestDeployment) throws -> [String] {
    let published = try deployment.publication.published()
    let roles = [
      "1.root.json", "timestamp.json", "\(published.snapshot.version).snapshot.json",
      "\(published.targets.version).targets.json",
    ]
    let series = published.series.map { "\($0.value.version).\($0.key.roleName).json" }
    let objects = published.series.values.flatMap(\.metadata.objects).map(\.filePath)
    return (roles + series).map { "metadata/\($0)" } + objects
  }

  @Test func `a missing last root before a new chain of roots is named in a note`() throws {
    let deployment = try deployment()
    for startsChain in [false, true] {
      _ = try deployment.publisher.changeKeys(
        lifetimeSeconds: RepositorySigner.onlineSeconds, now: deployment.clock
      ) { published, signer in
        try OfflineChange(
          root: signer.root(replacing: [:], startingChain: startsChain, after: published))
      }
    }
    #expect(try verify(deployment).findings.isEmpty)
    try Folder.remove("\(deployment.publication.path)/metadata/2.root.json")
    let report = try verify(deployment)
    #expect(report.isSound && report.findings.map(\.path) == ["metadata/2.root.json"], "\(report.findings)")
  }

  @Test func `a full scratch disk is not a finding against the publication`() throws {
    let deployment = try deployment()
    let scratch = deployment.folder("full")
    try Folder.create(scratch)
    try FileManager.default.createSymbolicLink(
      atPath: "\(scratch)/object", withDestinationPath: "/dev/full")
    let error = #expect(throws: (any Error).self) {
      try PublicationVerifier(
        deployment.publication, scratch: scratch,
        now: deployment.clock
      ).run()
    }
    let full = try #require(error as? FileError)
    #expect(full.isFull && full.path.hasPrefix(scratch))
  }

  @Test func `a file that is damaged during verification is a finding, and verification goes on`() throws {
    let models = ["1.0", "2.0"].map { model($0, PublisherFixture.schema) }
    let deployment = try PublisherFixture.deployment(models)
    let scratch = deployment.folder("scratch")
    try Folder.create(scratch)
    let snapshot = try #require(try deployment.metadata(major: 1).newestSnapshot)
    let report = try PublicationVerifier(
      deployment.publication, scratch: scratch, now: deployment.clock,
      progress: { what in
        guard what == "\(snapshot.series): the deltas" else { return }
        try? DurableFile.write([1], to: deployment.publication.file(snapshot))
      }
    ).run()
    #expect(errors(report).map(\.path) == ["\(snapshot.series)"] && report.series == 2)
  }

  @Test func `a sound publication passes until its signatures expire, but not with the root of another one`()
    throws
  {
    let deployment = try deployment()
    // Files without a reference are not a finding.
    try DurableFile.write([1], to: "\(deployment.publication.path)/targets/test/2/stray.sqlite.gz")
    let report = try verify(deployment)
    #expect(report.isSound && report.findings.isEmpty, "\(report.findings)")
    let objects = try deployment.metadata(major: 2).objects
    #expect(report.metadataFiles == 5 && report.objects == objects.count)
    #expect(report.deltas == objects.count(where: \.isDelta) && report.deltas >= 3)
    #expect(report.snapshots == objects.count - report.deltas && report.snapshots >= 3)
    let own = "\(deployment.publication.path)/metadata/1.root.json"
    #expect(try verify(deployment, anchor: own).isSound)
    let stranger = try PublisherFixture.deployment()
    let foreign = "\(stranger.publication.path)/metadata/1.root.json"
    #expect(errors(try verify(deployment, anchor: foreign)).map(\.path) == [foreign])
    let week = errors(try verify(deployment, after: 8))
    #expect(week.count == 3 && week.allSatisfy { $0.problem.contains("expired at") }, "\(week)")
    #expect(week.contains { $0.path == "metadata/timestamp.json" && $0.remedy.contains("regenerate") })
    let soon = try verify(deployment, after: 160).findings.filter { $0.severity == .warning }
    #expect(soon.map(\.path) == ["metadata/1.targets.json"])
  }

  @Test func `a publication with merged deltas passes at every version`() throws {
    let deployment = try PublisherFixture.deployment()
    var passed = 0
    for version in 2...20 {
      try deployment.change(
        "UPDATE stop SET name = 'name \(version)' WHERE id = \(version % 3 + 1)",
        forcingSnapshot: version == 18)
      let report = try verify(deployment)
      #expect(report.isSound && report.findings.isEmpty, "version \(version): \(report.findings)")
      #expect(
        report.deltas + report.deltasByHash
          == (try deployment.metadata(major: 2).objects.count(where: \.isDelta)))
      passed = max(passed, report.deltasByHash)
    }
    #expect(passed > 0, "the walk never goes past a delta")
  }

  @Test func `deltas of a broken snapshot are not reported separately`() throws {
    let deployment = try PublisherFixture.deployment()
    for name in ["x", "y", "z"] { try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1") }
    let snapshot = try #require(try deployment.metadata(major: 2).newestSnapshot)
    try DurableFile.write([1, 2, 3], to: deployment.publication.file(snapshot))
    #expect(errors(try verify(deployment)).map(\.path) == [snapshot.filePath])
  }

  @Test func `snapshots that leave indexes to the client pass and can be restored`() throws {
    let schema = "\(PublisherFixture.schema); CREATE INDEX stop_name ON stop(name)"
    let deployment = try PublisherFixture.deployment([model("2.0", schema)])
    deployment.job.indexes = .client
    for name in ["x", "y"] {
      try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1", forcingSnapshot: name == "x")
    }
    let report = try verify(deployment)
    #expect(report.isSound && report.findings.isEmpty, "\(report.findings)")
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    let seed = try recall.recall(3, to: deployment.folder("recalled.sqlite"))
    #expect(seed.schema.indexes == ["stop_name"])
  }

  @Test func `any damaged, missing or swapped file is found`() throws {
    let deployment = try deployment()
    for file in try namedFiles(deployment) {
      let path = "\(deployment.publication.path)/\(file)"
      let before = try DurableFile.read(path, limit: 1 << 20)
      for position in [0, before.count / 2, before.count - 1] {
        var bytes = before
        bytes[position] ^= 1
        try DurableFile.write(bytes, to: path)
        let found = errors(try verify(deployment))
        #expect(found.contains { $0.path == file }, "byte \(position) of \(file): \(found)")
      }
      if !file.hasSuffix("1.root.json") {
        try Folder.remove(path)
        let found = errors(try verify(deployment))
        #expect(found.contains { $0.path == file && $0.problem == "it is missing" }, "\(file): \(found)")
        #expect(found.allSatisfy { !$0.remedy.isEmpty })
      }
      try DurableFile.write(before, to: path)
    }
    #expect(try verify(deployment).isSound)
    let objects = try deployment.metadata(major: 2).objects[..<2]
    let files = objects.map { deployment.publication.file($0) }
    try Folder.rename(files[0], to: files[0] + ".away")
    try Folder.rename(files[1], to: files[0])
    try Folder.rename(files[0] + ".away", to: files[1])
    #expect(Set(errors(try verify(deployment)).map(\.path)).isSuperset(of: objects.map(\.filePath)))
  }

  // MARK: Wrong content with valid signatures

  /// The snapshot of version 3 with another row; if honest, its metadata matches its content.
  private func otherRows(
    _ deployment: TestDeployment, isHonest: Bool
  ) throws -> (old: PublishedObject, new: PublishedObject, bytes: [UInt8]) {
    let old = try #require(try deployment.metadata(major: 2).newestSnapshot)
    let path = try deployment.expand(old, to: "other.sqlite")
    let seed = try Connection(path, .writer)
    try seed.execute("UPDATE stop SET name = 'forged' WHERE id = 3")
    let sums = try SeedCheck(seed, try SchemaReader(seed).schema()).sums()
    for (name, sum) in sums { try SeedTables.store(sum, of: name, seed) }
    var meta = try SeedTables.meta(seed)
    meta.digest = StateDigest.of(sums)
    try SeedTables.store(meta, seed)
    let packed = deployment.folder("other.sqlite.gz")
    let (raw, stored) = try Compression.compress(path, to: packed, .gzip)
    let new = PublishedObject(
      series: old.series, kind: old.kind, length: stored.length, sha256: stored.sha256, model: old.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: old.schema,
      digest: isHonest ? meta.digest : old.digest)
    return (old, new, try DurableFile.read(packed, limit: 1 << 20))
  }

  @Test(arguments: [true, false])
  func `a signed snapshot whose rows differ from its chain is found`(_ isHonest: Bool) throws {
    let deployment = try deployment()
    let (old, new, bytes) = try otherRows(deployment, isHonest: isHonest)
    try deployment.sign(replacing: old, by: (new, bytes))
    let found = errors(try verify(deployment))
    let words =
      isHonest ? "differ from the result of the deltas at version 3" : "do not match the signed digest"
    #expect(found.contains { $0.path == new.filePath && $0.problem.contains(words) }, "\(found)")
  }

  /// A delta from 1 to 4 that sets one row's name.
  private func merged(
    _ deployment: TestDeployment, name: String
  ) throws -> (object: PublishedObject, bytes: [UInt8]) {
    let metadata = try deployment.metadata(major: 2)
    let head = try #require(metadata.objects.first { $0.version == metadata.state.head })
    var delta = DeltaWriter()
    delta.begin(table: "stop", key: ["id"], columns: ["id", "name"])
    delta.insert([.integer(1), .text(name)])
    let document = delta.document(
      DeltaHeader(
        series: metadata.series, model: head.model, schema: head.schema, from: .first, to: head.version,
        digest: head.digest))
    let stored = try Compression.gzip(document)
    let measure = Compression.Measure(of: stored)
    let object = PublishedObject(
      series: metadata.series, kind: .delta(from: .first, to: head.version), length: measure.length,
      sha256: measure.sha256, model: head.model, rawLength: document.count, schema: head.schema,
      digest: head.digest)
    return (object, stored)
  }

  @Test func `a signed merged delta is applied like a single one, and a wrong result is found`() throws {
    let deployment = try deployment()
    let (good, bytes) = try merged(deployment, name: "z")
    try deployment.sign(replacing: nil, by: (good, bytes))
    let report = try verify(deployment)
    let deltas = try deployment.metadata(major: 2).objects.count(where: \.isDelta)
    #expect(report.isSound && report.deltas == deltas, "\(report.findings)")
    let (bad, wrong) = try merged(deployment, name: "not z")
    try deployment.sign(replacing: good, by: (bad, wrong))
    let found = errors(try verify(deployment))
    #expect(found.map(\.path) == [bad.filePath], "\(found)")
    #expect(found[0].problem.contains("cannot be applied to version 1"))
  }

  @Test func `a gap left by a delta missing in the metadata is found`() throws {
    let deployment = try deployment()
    let metadata = try deployment.metadata(major: 2)
    let gone = try #require(metadata.objects.first { $0.isDelta && $0.version.number == 4 })
    let step = try RepositorySigner(now: deployment.clock).publish(
      [
        SeriesMetadata(
          series: metadata.series, state: metadata.state, objects: metadata.objects.filter { $0 != gone })
      ], after: try deployment.publication.published(), keys: deployment.keys)
    try deployment.publication.write(step.files)
    #expect(errors(try verify(deployment)).contains { $0.problem.contains("no deltas lead to the newest") })
  }

  @Test func `files that a publisher removes during verification are not reported as missing`() throws {
    let deployment = try deployment()
    deployment.job.retainedSnapshots = 1
    deployment.job.graceSeconds = 0
    let scratch = deployment.folder("scratch")
    try Folder.create(scratch)
    var looks = 0
    let report = try PublicationVerifier(
      deployment.publication, scratch: scratch,
      now: deployment.clock,
      progress: { _ in
        looks += 1
        if looks > 4 { return }
        try? deployment.origin("UPDATE stop SET name = 'look \(looks)'")
        _ = try? deployment.step(forcingSnapshot: true)
      }
    ).run()
    #expect(looks > 4 && report.isSound, "\(report.findings)")
    #expect(try verify(deployment).isSound)
  }
}
