import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

@Suite struct BundleTests {
  let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  // MARK: Choice of data

  @Test(arguments: [ContentEncoding.gzip, .xz])
  func `a first start without a network opens the bundle`(_ encoding: ContentEncoding) async throws {
    try fixture.publisher.withdraw(where: \.isSnapshot)
    try fixture.publisher.publishSnapshot(encoding)
    try await fixture.ship()
    fixture.isOffline = true
    let store = try fixture.store()
    #expect(try await store.prepare().version == .first)
    #expect(try await store.stops() == ["Alexanderplatz"])
    #expect(await store.state.bundleError == nil)
    #expect(await store.state.isStale)
  }

  @Test func `a live query of a suspended store shows the bundle after the resumption`() async throws {
    try await fixture.ship()
    let store = try fixture.store()
    await store.suspend()
    var rows = store.observe("SELECT name FROM stop", as: String.self).makeAsyncIterator()
    // As the query itself does, at some moment.
    await store.openData()
    await store.resume()
    try #require(await store.state.version == .first)
    #expect(try await rows.next() == ["Alexanderplatz"])
  }

  @Test func `the bundle replaces damaged data without a network`() async throws {
    try await fixture.ship()
    fixture.isOffline = true
    let store = try fixture.store()
    let seed = try await store.prepare()
    try Connection(seed.url.path, .writer).execute("UPDATE stop SET name = 'evil'")
    #expect(await code { try await store.verify() } == .damaged)
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  @Test func `an update starts from the bundle, downloads only changes and leaves its folder alone`()
    async throws
  {
    try await fixture.ship()
    let before = try fixture.shipped()
    try fixture.publisher.publish(["b": "Bellevue"])
    fixture.publisher.withServed { $0.requests = [] }
    let report = try await fixture.launch { store async throws in try await store.update() }
    #expect(report.action == .applied && report.from == .first && report.to == .first.next)
    #expect(fixture.publisher.withServed { $0.requests }.allSatisfy { !$0.contains("snapshot-1.sqlite") })
    #expect(try fixture.shipped() == before)
  }

  @Test func `a bundle older than the stored data is ignored`() async throws {
    try await fixture.ship()
    try fixture.publisher.publish(["b": "Bellevue"])
    try await fixture.launch { store async throws in _ = try await store.update() }
    fixture.isOffline = true
    try await fixture.launch { store async throws in
      #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    }
    #expect(try fixture.device.names("generations").count == 1)
  }

  @Test func `a bundle does not replace newer data that is unreadable for now`() async throws {
    try await fixture.ship()
    try fixture.publisher.publish(["b": "Bellevue"])
    try await fixture.launch { store async throws in _ = try await store.update() }
    let store = try fixture.store()
    // Opens the data, but not the bundle.
    try await store.verify()
    let generation = try await store.requireCurrent()
    try await fixture.device.hiding(generation) { () async throws in
      #expect(try await store.withBundle(over: generation) === generation)
      #expect(await store.state.bundleError?.code == .io)
    }
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    #expect(await store.state.bundleError == nil)
  }

  @Test func `an app update with a newer bundle takes effect at the next start without a network`()
    async throws
  {
    try await fixture.ship()
    try await fixture.launch { store async throws in _ = try await store.prepare() }
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try await fixture.ship()
    fixture.isOffline = true
    try await fixture.launch { store async throws in
      #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    }
  }

  @Test func `a bundle below the floor is used until the next update replaces it`() async throws {
    try await fixture.ship()
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try fixture.publisher.withdraw { $0.version == .first || !$0.isSnapshot }
    fixture.isOffline = true
    try await fixture.launch { store async throws in #expect(try await store.stops() == ["Alexanderplatz"]) }
    fixture.isOffline = false
    try await fixture.launch { store async throws in
      #expect(try await store.update().action == .replaced)
      #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    }
  }

  @Test func `between two epochs the newer metadata decides`() async throws {
    try await fixture.ship()
    let old = try fixture.shipped()
    try fixture.publisher.publish(["a": "Alex"])
    try await fixture.launch { store async throws in _ = try await store.update() }
    try fixture.publisher.startEpoch()
    try fixture.publisher.publish(["a": "New"])
    try fixture.publisher.publishSnapshot()
    try await fixture.ship()
    fixture.isOffline = true
    try await fixture.launch { store async throws in #expect(try await store.stops() == ["New"]) }
    for (name, bytes) in old { try bytes.write(to: URL(fileURLWithPath: "\(fixture.bundle)/\(name)")) }
    try await fixture.launch { store async throws in #expect(try await store.stops() == ["New"]) }
  }

  // MARK: Damage

  @Test(arguments: ["timestamp.json", "snapshot.json", "targets.json", "transit-2.json", "sqlite.gz"])
  func `a damaged bundle is replaced by a download or reported without one`(_ file: String) async throws {
    try await fixture.ship()
    try fixture.damage(file)
    fixture.isOffline = true
    try await fixture.launch { store async throws in
      #expect(await code { try await store.prepare() } == .bundle)
      #expect(await store.state.bundleError?.code == .bundle)
    }
    #expect(try fixture.device.names("generations").isEmpty)
    fixture.isOffline = false
    try await fixture.launch { store async throws in
      #expect(try await store.stops() == ["Alexanderplatz"])
      #expect(await store.state.bundleError?.code == .bundle)
      #expect(await store.state.lastError == nil)
    }
  }

  @Test func `an unusable bundle is examined once, and once more if the data is lost`() async throws {
    try await fixture.ship()
    try fixture.damage("sqlite.gz")
    fixture.isOffline = true
    let messages = Shared<[String]>([])
    let options = SeedOptions(log: { entry in messages.withLock { $0.append(entry.message) } })
    let store = try fixture.device.store(bundle: fixture.bundle, options: options)
    for _ in 0..<2 { #expect(await code { try await store.prepare() } == .bundle) }
    func examinations() -> Int { messages.withLock(\.self).count { $0.hasPrefix("the seed in ") } }
    #expect(examinations() == 1)
    fixture.isOffline = false
    let seed = try await store.prepare()
    fixture.isOffline = true
    try Connection(seed.url.path, .writer).execute("UPDATE stop SET name = 'evil'")
    #expect(await code { try await store.verify() } == .damaged)
    for _ in 0..<2 { #expect(await code { try await store.prepare() } == .bundle) }
    #expect(examinations() == 2)
  }

  @Test func `a cancelled look at an unusable bundle reports no error of the bundle`() async throws {
    let isFirst = Shared(true)
    let store = try fixture.device.store(bundle: fixture.bundle) { environment in
      environment.watch = { folder, onChange in
        // The store watches its directory just before it reads the bundle.
        if isFirst.withLock({ $0 }) { withUnsafeCurrentTask { $0?.cancel() } }
        isFirst.withLock { $0 = false }
        return FolderWatch(folder, onChange: onChange)
      }
    }
    fixture.isOffline = true
    #expect(await code { try await store.prepare() } == .cancelled)
    #expect(await store.state.bundleError == nil)
    #expect(await code { try await store.prepare() } == .bundle)
    #expect(await store.state.bundleError?.code == .bundle)
  }

  @Test func `hashing a bundled snapshot ends with its task`() async throws {
    try await fixture.ship()
    let bundled = try await BundledSeed(
      BundleFolder(directory: fixture.bundle), series: ClientPublisherSimulator.series,
      root: fixture.publisher.root)
    #expect(try bundled.verified().object == bundled.snapshot)
    let hashing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try bundled.verified().object
    }
    await #expect(throws: CancellationError.self) { try await hashing.value }
  }

  @Test func `an unusable bundle is reported first when no publication answers`() async throws {
    try await fixture.ship()
    try fixture.damage("timestamp.json")
    for answer: TransportError in [
      .webPage(url: "/a"), .status(url: "/a", 302), .status(url: "/a", 503, retryAfter: .seconds(7)),
    ] {
      fixture.publisher.withServed { $0.hold = { _ in throw answer } }
      let store = try fixture.store()
      let error = await #expect(throws: SeedError.self) { try await store.prepare() }
      #expect(error?.code == .bundle)
      #expect(error?.message.hasPrefix("the seed in ") == true, "\(error as Any)")
      #expect(error?.message.hasSuffix(answer.description) == true, "\(error as Any)")
      await store.close()
    }
  }

  @Test func `a damaged bundle does not affect stored data`() async throws {
    try await fixture.launch { store async throws in _ = try await store.update() }
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try await fixture.ship()
    try fixture.damage("sqlite.gz")
    fixture.isOffline = true
    try await fixture.launch { store async throws in
      #expect(try await store.stops() == ["Alexanderplatz"])
      #expect(await store.state.bundleError?.code == .bundle)
    }
  }

  @Test func `a bundle that is missing, empty or of another publisher is unusable`() async throws {
    func failure(root: [UInt8]? = nil) async throws -> SeedError.Code? {
      fixture.isOffline = true
      let store = try fixture.store(root: root)
      let found = await code { try await store.prepare() }
      await store.close()
      return found
    }
    #expect(try await failure() == .bundle)
    try FileManager.default.createDirectory(atPath: fixture.bundle, withIntermediateDirectories: true)
    #expect(try await failure() == .bundle)
    try FileManager.default.removeItem(atPath: fixture.bundle)
    fixture.isOffline = false
    try await fixture.ship()
    #expect(try await failure(root: ClientPublisherSimulator().root) == .bundle)
  }

  @Test func `an outdated app is reported even with an unusable bundle`() async throws {
    let store = try fixture.store(model: "2.0")
    do {
      try await store.prepare()
      Issue.record("there is nothing to prepare")
    } catch let error as SeedError {
      #expect(error.code == .clientTooOld && error.oldestModel == ClientPublisherSimulator.model)
      #expect(error.message.contains("seedbank pull --bundle"))
    }
    #expect(await code { try await store.keepUpdated() } == .clientTooOld)
  }

  // MARK: Trust

  @Test func `expired metadata is accepted from a bundle but not from a server`() async throws {
    try await fixture.ship()
    fixture.publisher.pass(days: 1000)
    let store = try fixture.store()
    #expect(try await store.stops() == ["Alexanderplatz"])
    #expect(await code { try await store.update() } == .stale)
  }

  @Test func `a server older than the bundle is rejected`() async throws {
    let older = fixture.publisher.withServed { $0.files }
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try await fixture.ship()
    fixture.publisher.withServed { $0.files = older }
    let store = try fixture.store()
    #expect(try await store.prepare().version == .first.next)
    #expect(await code { try await store.update() } == .untrusted)
  }

  @Test func `a bundle does not roll back trusted metadata`() async throws {
    try await fixture.ship()
    let older = fixture.publisher.withServed { $0.files }
    try fixture.publisher.publish(["b": "Bellevue"])
    try await fixture.launch { store async throws in _ = try await store.update() }
    let trusted = try timestamp()
    // The data is lost but the trusted metadata is not: the bundle is used, and a server of the same age is
    // rejected.
    try FileManager.default.removeItem(atPath: "\(fixture.device.directory)/CURRENT")
    fixture.publisher.withServed { $0.files = older }
    try await fixture.launch { store async throws in
      #expect(try await store.stops() == ["Alexanderplatz"])
      #expect(await code { try await store.update() } == .untrusted)
    }
    #expect(try timestamp() == trusted)
  }

  private func timestamp() throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: "\(fixture.device.directory)/trust/timestamp.json"))
  }
}
