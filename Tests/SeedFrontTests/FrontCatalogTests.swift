import Foundation
import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

import struct Synchronization.Atomic

@testable import SeedFront

final class Said: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func add(_ line: String) { state.withLock { $0.append(line) } }
}

final class Flag: Sendable {
  private let state = Atomic(false)

  var isUp: Bool { state.load(ordering: .acquiring) }

  func raise() { state.store(true, ordering: .releasing) }
}

final class MovedClock: Sendable {
  private let start = ContinuousClock.now
  private let seconds = Mutex(0)

  var now: ContinuousClock.Instant { start.advanced(by: .seconds(seconds.withLock { $0 })) }
  var time: UTCTime { FrontPublication.start.adding(seconds: seconds.withLock { $0 }) }

  func advance(seconds: Int) { self.seconds.withLock { $0 += seconds } }
}

@Suite struct FrontCatalogTests {
  let publication: FrontPublication
  let series = FrontPublication.transit
  let router = Router()

  init() throws { publication = try FrontPublication(history: ()) }

  private func get(_ target: String, _ view: CatalogView) -> HTTPResponse {
    router.answer(HTTPRequest(.get, target), in: view)
  }

  @Test func `expired signatures and missing files are reported once a day, whatever is published`() throws {
    let (said, clock) = (Said(), MovedClock())
    let log = OperatorLog(now: { clock.time }) { said.add($0.message) }
    let source = CatalogSource(publication.directory, log: log)
    let expires = FrontPublication.start.adding(seconds: RepositorySigner.onlineSeconds)
    source.checkStanding(at: expires.adding(seconds: -1))
    #expect(said.lines.isEmpty)
    for _ in 0..<2 { source.checkStanding(at: expires) }
    #expect(said.lines.count == 1)
    #expect(said.lines[0].contains("timestamp, snapshot, transit-2 expired, the first of them on \(expires)"))
    let lost = try publication.snapshot(series, 90)
    try Folder.remove(publication.directory.file(lost))
    for (head, seconds) in [(105, 0), (106, 86_399), (107, 2)] {
      let snapshot = try publication.snapshot(series, head)
      try publication.publish(series, head: head, floor: head, [lost, snapshot])
      clock.advance(seconds: seconds)
      try source.reload()
      source.checkStanding(at: expires)
      #expect(said.lines.count == (head < 107 ? 2 : 4), "\(said.lines)")
    }
    #expect(said.lines[1].hasPrefix("1 file of transit/2 is missing") && said.lines[3] == said.lines[1])
    // Repaired, and lost again.
    _ = try publication.snapshot(series, 90)
    source.checkStanding(at: expires)
    try Folder.remove(publication.directory.file(lost))
    source.checkStanding(at: expires)
    #expect(said.lines.count == 5 && said.lines[4] == said.lines[1], "\(said.lines)")
  }

  @Test func `a running front serves a new root at its next check`() throws {
    let clock = MovedClock()
    let source = CatalogSource(publication.directory) { clock.now }
    for version in 2...4 {
      #expect(get("/metadata/\(version).root.json", source.looked()).status == 404)
      try publication.addRoot()
      clock.advance(seconds: 1)
      let root = get("/metadata/\(version).root.json", source.looked())
      #expect(root.status == 200)
      #expect(root.bytes == (try publication.directory.metadata("\(version).root.json")))
      let loaded = try #require(source.looked().catalog)
      clock.advance(seconds: 1)
      #expect(source.looked().catalog === loaded, "nothing is loaded where nothing came")
    }
  }

  @Test func `an untrusted new root is reported, not served, and checked again from time to time`() throws {
    let clock = MovedClock()
    let said = Said()
    let source = CatalogSource(publication.directory, log: OperatorLog { said.add($0.message) }) { clock.now }
    let loaded = try #require(source.looked().catalog)
    try publication.damage("2.root.json")
    for _ in 0..<3 {
      clock.advance(seconds: 1)
      #expect(source.looked().catalog === loaded && source.looked().failure != nil)
    }
    #expect(said.lines.count == 1)
    #expect(get("/metadata/2.root.json", source.looked()).status == 404)
    try publication.addRoot()
    clock.advance(seconds: 1)
    #expect(source.looked().failure == nil)
    #expect(get("/metadata/2.root.json", source.looked()).status == 200)
  }

  private func publish(_ head: Int) throws {
    try publication.publish(series, head: head, floor: head, [publication.snapshot(series, head)])
  }

  @Test func `all metadata that a client needs is served byte for byte`() throws {
    let catalog = try publication.catalog()
    for name in ["1.root.json", "1.targets.json", "1.transit-2.json", "2.snapshot.json", "timestamp.json"] {
      let response = get("/metadata/\(name)", CatalogView(catalog))
      #expect(response.bytes == (try publication.directory.metadata(name)))
      let rule = name == "timestamp.json" ? CacheRule.current : CacheRule.versionedMetadata
      #expect(response.headers["Cache-Control"] == rule)
    }
    #expect(get("/metadata/2.root.json", CatalogView(catalog)).status == 404)
    #expect(get("/metadata/1.snapshot.json", CatalogView(catalog)).status == 404)
  }

  @Test func `objects and metadata of the previous publication are still served after the next`() throws {
    let first = try publication.catalog()
    let object = try publication.snapshot(series, 90)
    try publish(105)
    let second = try PublishedCatalog(loading: publication.directory, after: first)
    for path in ["/metadata/2.snapshot.json", "/metadata/1.transit-2.json", "/\(object.filePath)"] {
      #expect(get(path, CatalogView(second)).status == 200)
    }
    #expect(get("/v1/transit", CatalogView(second)).json?["series"]?.elements?.first?["head"] == 105)
    try Folder.remove(publication.directory.file(object))
    #expect(get("/\(object.filePath)", CatalogView(second)).problem == .notFound)
  }

  @Test func `a restarted front serves unlisted objects until the grace period ends`() throws {
    let clock = MovedClock()
    let object = try publication.snapshot(series, 90)
    try publish(105)
    let source = CatalogSource(publication.directory) { clock.now }
    #expect(get("/\(object.filePath)", source.looked()).status == 200)
    try Folder.remove(publication.directory.file(object))
    #expect(get("/\(object.filePath)", source.looked()).problem == .notFound)
    _ = try publication.snapshot(series, 90)
    clock.advance(seconds: FrontLimits.usualObjectGraceSeconds + 1)
    try publish(106)
    #expect(get("/\(object.filePath)", source.looked()).status == 404)
  }

  @Test func `replaced objects and metadata are dropped after their retention time`() throws {
    let clock = MovedClock()
    let source = CatalogSource(publication.directory) { clock.now }
    let object = try publication.snapshot(series, 90)
    try publish(105)
    try source.reload()
    clock.advance(seconds: FrontLimits.retiredMetadataSeconds + 1)
    try publish(106)
    try source.reload()
    #expect(get("/metadata/1.transit-2.json", source.looked()).status == 404)
    #expect(get("/metadata/2.transit-2.json", source.looked()).status == 200)
    #expect(get("/\(object.filePath)", source.looked()).status == 200)
    clock.advance(seconds: FrontLimits.usualObjectGraceSeconds)
    try publish(107)
    try source.reload()
    #expect(get("/\(object.filePath)", source.looked()).status == 404)
  }

  @Test func `an object is served for a longer grace period of the publisher`() throws {
    let (clock, usual) = (MovedClock(), FrontLimits.usualObjectGraceSeconds)
    let source = CatalogSource(publication.directory, objectGraceSeconds: 2 * usual) { clock.now }
    let object = try publication.snapshot(series, 90)
    for (version, isServed) in [(105, true), (106, true), (107, false)] {
      try publish(version)
      try source.reload()
      #expect((get("/\(object.filePath)", source.looked()).status == 200) == isServed, "\(version)")
      clock.advance(seconds: usual + 1)
    }
  }

  @Test func `a front finds another process's publication at its next check`() throws {
    let clock = MovedClock()
    let source = CatalogSource(publication.directory) { clock.now }
    try publish(105)
    #expect(source.current().catalog?.series(series.dataset, major: 2)?.state.head.number == 104)
    #expect(source.looked().catalog?.series(series.dataset, major: 2)?.state.head.number == 105)
    let loaded = try #require(source.looked().catalog)
    clock.advance(seconds: FrontLimits.retrySeconds)
    #expect(source.looked().catalog === loaded)
  }

  @Test func `an unreadable publication is reported and the last good one stays`() throws {
    let clock = MovedClock()
    let said = Said()
    let source = CatalogSource(publication.directory, log: OperatorLog { said.add($0.message) }) { clock.now }
    let loaded = try #require(source.looked().catalog)
    let good = try #require(try publication.directory.metadata("timestamp.json"))
    try publication.damage("timestamp.json")
    for _ in 0..<3 {
      clock.advance(seconds: FrontLimits.retrySeconds)
      #expect(source.looked().catalog === loaded)
    }
    #expect(throws: (any Error).self) { try source.reload() }
    #expect(said.lines.count == 1)
    // The same failure goes on with another reason.
    try Folder.remove("\(publication.directory.path)/metadata/timestamp.json")
    #expect(throws: (any Error).self) { try source.reload() }
    #expect(said.lines.count == 2)
    let ready = get("/readyz", source.looked())
    #expect(ready.status == 200)
    #expect(ready.json?["error"]?.string?.isEmpty == false)
    try DurableFile.write(good, to: "\(publication.directory.path)/metadata/timestamp.json")
    clock.advance(seconds: FrontLimits.retrySeconds)
    #expect(get("/readyz", source.looked()).json?["error"] == nil)
    try publication.damage("timestamp.json")
    for _ in 0..<2 { #expect(throws: (any Error).self) { try source.reload() } }
    #expect(said.lines.count == 3, "it is another failure")
  }

  @Test func `a publication created later is found and its path is not disclosed`() throws {
    let clock = MovedClock()
    let path = publication.folder("later")
    let source = CatalogSource(PublicationDirectory(path)) { clock.now }
    #expect(source.looked().catalog == nil)
    let failure = try #require(source.looked().failure)
    #expect(!failure.contains(path))
    try FileManager.default.copyItem(atPath: publication.directory.path, toPath: path)
    clock.advance(seconds: FrontLimits.retrySeconds)
    #expect(source.looked().catalog != nil)
    #expect(source.looked().failure == nil)
  }

  @Test
  func `a follower's front reports a missing copy without a publisher's remedies, the first one silently`()
    throws
  {
    let (said, clock) = (Said(), MovedClock())
    let (path, away) = (publication.folder("copy"), publication.folder("away"))
    let progress = FollowProgress(FollowState(every: 5, now: FrontPublication.start))
    let source = CatalogSource(
      PublicationDirectory(path), following: progress, log: OperatorLog { said.add($0.message) }
    ) { clock.now }
    #expect(source.looked().failure?.contains("the follower's next successful check downloads it") == true)
    #expect(said.lines.isEmpty)
    try FileManager.default.copyItem(atPath: publication.directory.path, toPath: path)
    clock.advance(seconds: FrontLimits.retrySeconds)
    #expect(source.looked().catalog != nil)
    try Folder.rename(path, to: away)
    #expect(source.looked().failure != nil)
    #expect(
      said.lines.count == 1 && said.lines[0].contains("no copy at")
        && !said.lines[0].contains("seedbank init"))
  }

  @Test func `a path outside the catalog is not served`() throws {
    try DurableFile.write([1], to: "\(publication.directory.path)/metadata/secret.json")
    try DurableFile.write([1], to: "\(publication.directory.path)/targets/transit/2/secret")
    try Folder.create("\(publication.directory.path)/keys")
    try DurableFile.write([1], to: "\(publication.directory.path)/keys/root.json")
    let view = CatalogView(try publication.catalog())
    for path in [
      "/targets/../keys/root.json", "/targets/transit/2/../../../keys", "/targets/%2e%2e/keys",
      "/targets/transit/2/%2e%2e/x", "/metadata/../targets", "/metadata/%74imestamp.json",
      "/metadata/./timestamp.json", "/metadata/secret.json", "/targets/transit/2/secret", "/targets//transit",
      "/metadata/", "/targets/", "//", "/../index.html", "/index.html/../x",
    ] { #expect(get(path, view).problem == .notFound, "\(path)") }
  }

  @Test func `an object that is missing, truncated or a link is not served`() throws {
    let object = try publication.snapshot(series, 104)
    let view = CatalogView(try publication.catalog())
    let path = publication.directory.file(object)
    try DurableFile.write([1, 2], to: path)
    #expect(get("/\(object.filePath)", view).problem == .notFound)
    try Folder.remove(path)
    #expect(get("/\(object.filePath)", view).problem == .notFound)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
    #expect(get("/\(object.filePath)", view).problem == .notFound)
  }

  @Test func `no response mixes two publications`() async throws {
    let source = CatalogSource(publication.directory)
    let isOver = Flag()
    let router = router
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var seen = 0
          while !isOver.isUp || seen == 0 {
            try Self.checkConsistency(source.current(), router)
            seen += 1
            await Task.yield()
          }
          return seen
        }
      }
      for head in 105..<125 {
        try publish(head)
        try source.reload()
        await Task.yield()
      }
      isOver.raise()
      for try await seen in group { #expect(seen > 0) }
    }
    #expect(source.current().catalog?.series(series.dataset, major: 2)?.state.head.number == 124)
  }

  /// Timestamp, TUF snapshot, series role, description and redirect must belong to one publication.
  private static func checkConsistency(_ view: CatalogView, _ router: Router) throws {
    func get(_ target: String) -> HTTPResponse { router.answer(HTTPRequest(.get, target), in: view) }
    let timestamp = try Metadata<Timestamp>(parsing: get("/metadata/timestamp.json").bytes).signed
    let snapshotFile = get("/metadata/\(timestamp.snapshot.version).snapshot.json")
    let snapshot = try Metadata<SnapshotRole>(parsing: snapshotFile.bytes).signed
    let version = try #require(snapshot.meta["transit-2.json"]?.version)
    let role = try Metadata<Targets>(parsing: get("/metadata/\(version).transit-2.json").bytes).signed
    let head = try SeriesMetadata(FrontPublication.transit, in: role).state.head.number
    let described = get("/v1/transit").json?["series"]?.elements?.first?["head"]?.integer
    #expect(described == head)
    let redirect = get("/v1/transit/snapshot?model=2.1")
    #expect(redirect.headers["Seedbank-Version"] == "\(head)")
    #expect(get(try #require(redirect.headers["Location"])).status == 200)
  }
}
