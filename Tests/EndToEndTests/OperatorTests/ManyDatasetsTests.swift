import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// A publication of 200 datasets with thousands of versions each. One dataset really has them. Its metadata is also signed
/// under the other names, without files, because clients and steps of one dataset only read the others' metadata.
@Suite struct ManyDatasetsTests {
  private static let versions = Stage.pick(quick: 100, full: 300, deep: 3000)
  private static let others = (2...200).map { "set-\($0)" }
  /// Prints a command's peak memory in KiB, and its seconds of processor time.
  private static let measure = """
    import resource, subprocess, sys
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(used.ru_maxrss, used.ru_utime + used.ru_stime)
    """

  private let deployment: OperatedDeployment
  private let publication: PublicationDirectory
  private let keys: KeyRing
  private var folder: TemporaryFolder { deployment.folder }

  init() throws {
    deployment = try OperatedDeployment(isCopied: false)
    (publication, keys) = (deployment.publication, try deployment.keys())
  }

  @Test(.full)
  func `with 200 datasets of thousands of versions, checks, steps and metadata stay within their limits`()
    async throws
  {
    let small = try step("alone")
    try grow()
    try multiply()
    let server = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
    var options = SeedOptions()
    options.rootCheckSeconds = 0
    let store = try SeedStore(
      SeedModel(dataset: "my", version: "1.0"), server: #require(URL(string: server.address)),
      root: Data(contentsOf: URL(filePath: folder("seedbank/root.json"))),
      directory: URL(filePath: folder("store")), options: options)
    let first = try await store.update()
    let idle = try await store.update()
    #expect(idle.action == .upToDate && idle.traffic.requests <= 2 && idle.traffic.bytes <= 2048)

    let published = try publication.published()
    let resigned = try #require(try published.series[Self.series(Self.others[0])]).metadata
    try publication.write(signer.publish([resigned], after: published, keys: keys).files)
    try RunningSeedbank.waits(untilServing: publication.path, at: server.address)
    let other = try await store.update()
    // The next root, the timestamp and the TUF snapshot role.
    #expect(other.action == .upToDate && other.traffic.requests <= 3 && other.traffic.bytes <= 32 * 1024)

    let large = try step("among many")
    try RunningSeedbank.waits(untilServing: publication.path, at: server.address)
    let news = try await store.update()
    // Also the series' role and the delta.
    #expect(news.action == .applied && news.traffic.requests <= 5 && news.traffic.bytes <= 48 * 1024)
    #expect(large.kibibytes - small.kibibytes < 32 * 1024, "\(small), then \(large)")
    await store.close()

    let snapshot = try publication.published().snapshot
    let list = try gzipBytes(of: SnapshotRole.type, snapshot.version)
    let role = try gzipBytes(of: "my-1", #require(snapshot.meta["my-1.json"]).version)
    #expect(list <= 12_000 && role <= 6000, "\(list) bytes, \(role) bytes")
    print(
      "\(Self.versions) versions: first \(first.traffic), idle \(idle.traffic), another changed \(other.traffic), this one",
      "changed \(news.traffic); gzip: TUF snapshot role \(list), series' role \(role); step \(small), then \(large)"
    )
  }

  private var signer: RepositorySigner { RepositorySigner(now: .now()) }

  private static func series(_ name: String) throws -> SeedSeries {
    SeedSeries(try DatasetName(name), model: "1.0")
  }

  /// Publishes a change by the real command.
  private func step(_ name: String) throws -> (kibibytes: Int, seconds: Double) {
    try deployment.origin("UPDATE shop SET name = '\(name)' WHERE id = 1")
    let command = [SeedbankBinary.path, "regenerate", "--dataset", "my"]
    let output = try Tool.run(["python3", "-c", Self.measure] + command, in: folder.path)
    let words = output.split { $0.isWhitespace }
    return (try #require(Int(words[0])), try #require(Double(words[1])))
  }

  /// Publishes the versions by steps in this process.
  private func grow() throws {
    let plans = try SeriesPlan.plans(
      "my", [model("1.0", folder.text("seedbank/my/models/1.0/schema.sql"))])
    var job = DatasetJob(name: "my", origin: SQLitePlace(folder("my.sqlite")), plans: plans)
    job.graceSeconds = 1
    let publisher = Publisher(publication, stateFolder: folder("seedbank/state"), keys: KeySource(keys))
    let origin = try Connection(folder("my.sqlite"), .own)
    for version in (OperatedDeployment.versions + 2)...Self.versions {
      try origin.execute("UPDATE shop SET name = 'version \(version)' WHERE id = \(1 + version % 3)")
      try publisher.step(job, now: .now())
    }
    let head = try publication.published().series[Self.series("my")]?.metadata.state.head
    #expect(head?.number == Self.versions)
  }

  /// Signs the dataset's metadata under the other names, and configures them.
  private func multiply() throws {
    let published = try publication.published()
    let truth = try #require(try published.series[Self.series("my")]).metadata
    let series = try Self.others.map(Self.series)
    var change = try OfflineChange(
      targets: signer.targets(
        delegating: published.delegatedSeries + series, to: keys.verifiers(.series), after: published))
    change.sign(with: keys, after: published)
    let metadata = series.map { name in
      SeriesMetadata(series: name, state: truth.state, objects: truth.objects.map { $0.renamed(name) })
    }
    try publication.write(
      signer.publish(metadata, adopting: change, after: published, keys: keys).files)
    let copies = "for name in \(Self.others.joined(separator: " ")); do cp -r my $name; done"
    try Tool.run(["bash", "-ec", copies], in: folder("seedbank"))
    let names = (["my"] + Self.others).map { "\"\($0)\"" }.joined(separator: ", ")
    try folder.edit("seedbank/seedbank.json") { $0.replacing(#""my""#, with: names) }
  }

  private func gzipBytes(of role: String, _ version: Int) throws -> Int {
    try Compression.gzip(#require(try publication.metadata(MetadataName.versioned(role, version)))).count
  }
}

extension PublishedObject {
  fileprivate func renamed(_ series: SeedSeries) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind, length: length, sha256: sha256, model: model, rawLength: rawLength,
      rawSHA256: rawSHA256, schema: schema, schemaBefore: schemaBefore, digest: digest,
      publishedAt: publishedAt)
  }
}
