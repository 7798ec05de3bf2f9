import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

final class StoreFixture {
  let publisher: ClientPublisherSimulator
  let folder: TemporaryFolder

  init() throws {
    publisher = try ClientPublisherSimulator()
    folder = try TemporaryFolder(inMemory: true)
  }

  var directory: String { folder("store") }

  static let server = "http://seeds.example"

  var environment: Environment {
    Environment(
      transport: publisher, now: { [publisher] in publisher.now }, sleep: { _ in await Task.yield() })
  }

  func store(
    _ dataset: DatasetName = "transit", schema: SHA256Digest? = nil, model: ModelVersion? = nil,
    root: [UInt8]? = nil, server: String = StoreFixture.server, bundle: String? = nil,
    options: SeedOptions = SeedOptions(), _ change: (inout Environment) -> Void = { _ in }
  ) throws -> SeedStore {
    let model = SeedModel(
      dataset: dataset, version: model ?? ClientPublisherSimulator.model,
      schema: schema ?? publisher.schema.hash)
    var environment = environment
    change(&environment)
    return try SeedStore(
      model, server: try #require(URL(string: server)), root: root ?? publisher.root, bundle: bundle,
      directory: directory, options: options, environment: environment)
  }

  /// Holds all files whose names contain `part` until the gate is opened.
  func hold(_ part: String = "/") -> Gate {
    let gate = Gate()
    gate.close()
    publisher.withServed { $0.hold = { if $0.contains(part) { try await gate.pass() } } }
    return gate
  }

  func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)").sorted()
  }

  /// Publishes a version that needs a snapshot.
  func publishGeneration(_ stops: [String: String]) throws {
    let isFirst = publisher.head == 0
    try publisher.publish(stops)
    guard !isFirst else { return }
    try publisher.publishSnapshot()
    try publisher.withdraw { $0.fileName.hasPrefix("delta") || $0.version.number < publisher.head }
  }

  /// Stops that take many pages.
  static let manyStops = Dictionary(
    uniqueKeysWithValues: (0..<1000).map { ("n\($0)", "Stop number \($0)") })

  /// Damages one page of ``manyStops``, which the check at start does not read.
  func damagePage() throws {
    try damage { bytes in
      let place = bytes.range(of: Data("Stop number 500".utf8))?.lowerBound ?? 0
      for index in 0..<8 { bytes[place / 4096 * 4096 + index] = 0xA5 }
    }
  }

  func damage(_ change: (inout Data) -> Void) throws {
    let name = try String(contentsOfFile: "\(directory)/CURRENT", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let file = URL(fileURLWithPath: "\(directory)/generations/\(name)/seed.sqlite")
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  /// Runs `body` while the generation's file cannot be read, because a folder has its log's name.
  func hiding(_ generation: Generation, _ body: () async throws -> Void) async throws {
    let (log, aside) = (generation.folder.file + "-wal", folder("aside"))
    try await closeConnections(to: generation)
    if Folder.exists(log) { try Folder.rename(log, to: aside) }
    try Folder.create(log)
    try await body()
    try Folder.removeAll(log)
    if Folder.exists(aside) { try Folder.rename(aside, to: log) }
    try await closeConnections(to: generation)
  }

  /// Open connections would go on with the files that they opened.
  private func closeConnections(to generation: Generation) async throws {
    await generation.reader.suspend()
    try #require(await generation.reader.resume())
  }

  var lastSnapshot: PublishedObject {
    get throws { try #require(object { $0.fileName.hasPrefix("snapshot") }) }
  }
  var lastDelta: PublishedObject { get throws { try #require(object { $0.fileName.hasPrefix("delta") }) } }

  private func object(where matches: (PublishedObject) -> Bool) -> PublishedObject? {
    publisher.objects.last(where: matches)
  }
}

extension PublishedObject {
  /// An object in a test in which only kind and lengths matter.
  init(_ kind: Kind, length: Int, raw: Int) {
    self.init(
      series: SeedSeries("transit", model: "2.1"), kind: kind, length: length, sha256: .of([]), model: "2.1",
      rawLength: raw, schema: .of([]), digest: .of([]))
  }

  /// A copy with other values, which begins no minor.
  func with(
    kind: Kind? = nil, length: Int? = nil, sha256: SHA256Digest? = nil, model: ModelVersion? = nil,
    rawLength: Int? = nil, rawSHA256: SHA256Digest? = nil, schema: SHA256Digest? = nil,
    digest: SHA256Digest? = nil
  ) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind ?? self.kind, length: length ?? self.length, sha256: sha256 ?? self.sha256,
      model: model ?? self.model, rawLength: rawLength ?? self.rawLength,
      rawSHA256: rawSHA256 ?? self.rawSHA256, schema: schema ?? self.schema, digest: digest ?? self.digest)
  }
}

extension SeedStore {
  /// The store of a client of a front that serves the deployment.
  static func of(
    _ deployment: TestDeployment, port: UInt16, options: SeedOptions = SeedOptions()
  ) throws -> SeedStore {
    try SeedStore(
      SeedModel(dataset: "test", version: "1.0"),
      server: #require(URL(string: "http://127.0.0.1:\(port)")),
      root: DurableFile.read(
        deployment.folder("publication/metadata/1.root.json"), limit: Limits.rootBytes),
      directory: deployment.folder("store"), options: options,
      environment: Environment(
        transport: URLSessionTransport(userAgent: "test"), now: { [now = deployment.clock] in now }))
  }

  /// Updates until there is news, because a front checks its folder periodically.
  func news() async throws -> UpdateReport {
    let deadline = ContinuousClock.now + .seconds(longestWait)
    var report = try await update()
    while report.action == .upToDate, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(10))
      report = try await update()
    }
    return report
  }

  /// The stops' names in order of their ids.
  func stops() async throws -> [String] {
    try await rows("SELECT name FROM stop ORDER BY id")
  }
}

/// The stops' names, read by a connection of the app.
func stops(inFile url: URL) throws -> [String] {
  try Connection(url.path, .reader).rows("SELECT name FROM stop ORDER BY id").map { $0[0].description }
}
