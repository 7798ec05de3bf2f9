import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct BundleMakerTests {
  let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  @Test
  func
    `a bundle is the publication reduced to one series and its newest snapshot, and a newer one replaces it`()
    async throws
  {
    let report = try await fixture.ship()
    let files = try fixture.shipped()
    let served = fixture.publisher.withServed { $0.files }
    #expect(report.bytes == files.values.reduce(0) { $0 + $1.count })
    #expect(files["root.json"].map { Array($0) } == fixture.publisher.root)
    #expect(files.keys.contains(report.snapshot.filePath) && report.snapshot.version == .first)
    for (name, bytes) in files where name != "root.json" { #expect(served[name] == Array(bytes), "\(name)") }
    // Another user's app reads them all.
    let modes = try files.keys.map {
      try FileManager.default.attributesOfItem(atPath: "\(fixture.bundle)/\($0)")[.posixPermissions] as? Int
    }
    #expect(Set(modes).count == 1, "\(modes)")
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    #expect(try await fixture.ship().snapshot.version == .first.next)
    #expect(try fixture.shipped().keys.count { $0.contains("sqlite") } == 1)
    #expect(try fixture.device.folder.names() == ["bundle"])
  }

  @Test func `anything but a bundle of the series is never replaced`() async throws {
    for content in ["root.json", "photo.jpg", "metadata/2.other-1.json"] {
      let folder = fixture.device.folder("mine-\(content.count)")
      let file = URL(fileURLWithPath: "\(folder)/\(content)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: file)
      #expect(await code { try await fixture.ship(into: folder) } == .io)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }
    let file = fixture.device.folder("file")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    #expect(await code { try await fixture.ship(into: file) } == .io)
    let draft = URL(fileURLWithPath: fixture.device.folder("bundle.tmp"))
    try Data("mine".utf8).write(to: draft)
    #expect(await code { try await fixture.ship() } == .io)
    #expect(try Data(contentsOf: draft) == Data("mine".utf8))
  }

  @Test func `a second concurrent bundle maker gets an error and does not disturb the first`() async throws {
    let other = fixture.device.folder("bundle.tmp")
    try Folder.create(other)
    try DurableFile.write([1], to: "\(other)/half")
    let lock = try File("\(other)/LOCK", for: .updating)
    try #require(try lock.tryLock())
    #expect(await code { try await fixture.ship() } == .storeLocked)
    #expect(try Folder.names(in: other) == ["LOCK", "half"])
    lock.unlock()
    try await fixture.ship()
    #expect(!Folder.exists(other))
  }

  @Test func `a corrupt snapshot or a server older than the existing bundle leaves it unchanged`()
    async throws
  {
    let older = fixture.publisher.withServed { $0.files }
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try await fixture.ship()
    let (before, newest) = (try fixture.shipped(), fixture.publisher.withServed { $0.files })
    fixture.publisher.withServed { $0.files = older }
    #expect(await code { try await fixture.ship() } == .untrusted)
    #expect(try fixture.shipped() == before)
    fixture.publisher.withServed { $0.files = newest }
    try fixture.publisher.publish(["c": "Charité"])
    try fixture.publisher.publishSnapshot()
    let object = try fixture.device.lastSnapshot
    fixture.publisher.withServed { $0.files[object.filePath]?[30] ^= 1 }
    #expect(await code { try await fixture.ship() } == .damaged)
    #expect(try fixture.shipped() == before)
    #expect(try fixture.device.folder.names() == ["bundle"])
  }

  @Test func `expired metadata is not bundled`() async throws {
    fixture.publisher.pass(days: 1000)
    #expect(await code { try await fixture.ship() } == .stale)
    #expect(try fixture.device.folder.names().isEmpty)
  }
}

extension TemporaryFolder {
  fileprivate func names() throws -> [String] { try Folder.names(in: path) }
}
