import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// After any failure, the error has the right code and the old data stays readable.
@Suite struct RefusalTests {
  let fixture: StoreFixture
  let store: SeedStore

  init() async throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    store = try fixture.store()
    try await store.prepare()
  }

  private func expectRefusal(
    _ expected: SeedError.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(await code { try await store.update() } == expected, sourceLocation: sourceLocation)
    #expect(try await store.stops() == ["Alexanderplatz"], sourceLocation: sourceLocation)
    let state = await store.state
    #expect(state.isStale && state.lastError?.code == expected, sourceLocation: sourceLocation)
    #expect(try fixture.names("partial").isEmpty, sourceLocation: sourceLocation)
    #expect(try fixture.names("generations").count == 1, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["rawSHA256", "rawLength", "digest"])
  func `a snapshot whose content does not match its signed metadata is rejected`(field: String) async throws {
    try fixture.publisher.startEpoch()
    try fixture.publisher.resign { object in
      switch field {
      case "rawSHA256": object.with(rawSHA256: .of([1]))
      case "rawLength": object.with(rawLength: object.rawLength - 1)
      default: object.with(digest: .of([2]))
      }
    }
    try await expectRefusal(.damaged)
  }

  // MARK: Downloading once

  private var downloads: Int {
    fixture.publisher.withServed { $0.requests.count { $0.hasPrefix("targets/") } }
  }

  @Test(arguments: [true, false])
  func `a snapshot with other content than signed is downloaded once, until the next version`(
    _ hasWrongHash: Bool
  ) async throws {
    try fixture.publisher.startEpoch()
    try fixture.publisher.resign {
      hasWrongHash ? $0.with(rawSHA256: .of([1])) : $0.with(digest: .of([2]))
    }
    let before = downloads
    try await expectRefusal(.damaged)
    try await expectRefusal(.rejected)
    #expect(downloads == before + 1)
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    try await store.update()
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
  }

  /// A store without data, whose disk puts these bytes in place of a folder's files once, in a phase.
  private func storeOnBadDisk(
    _ folder: String, _ bytes: [UInt8], in isPhase: @escaping @Sendable (UpdatePhase) -> Bool
  ) async throws -> SeedStore {
    try await store.remove()
    await store.close()
    let (isFirst, directory) = (Shared(true), "\(fixture.directory)/\(folder)")
    var options = SeedOptions()
    options.onPhase = { phase in
      guard isPhase(phase), isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      for name in (try? Folder.names(in: directory)) ?? [] {
        let path = "\(directory)/\(name)"
        let file = Folder.isFolder(path) ? "\(path)/\(GenerationFolder.fileName)" : path
        try? DurableFile.write(bytes, to: file)
      }
    }
    return try fixture.store(options: options)
  }

  @Test func `a file that the disk damages while it is made is made again from the same download`()
    async throws
  {
    let before = downloads
    let store = try await storeOnBadDisk("generations", Array("damaged".utf8)) { $0 == .buildingIndexes }
    try await store.update()
    #expect(try await store.stops() == ["Alexanderplatz"])
    #expect(try downloads == before + 1 && fixture.names("generations").count == 1)
  }

  @Test func `a download that the disk exchanges does not reject its snapshot`() async throws {
    let other = try Compression.gzip(Array("other".utf8))
    let store = try await storeOnBadDisk("partial", other) { if case .expanding = $0 { true } else { false } }
    #expect(await code { try await store.update() } == .damaged)
    try await store.update()
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  // MARK: Other ways

  /// Signs another length of the object's uncompressed content.
  private func spoil(_ spoiled: PublishedObject) throws {
    try fixture.publisher.resign { $0 == spoiled ? $0.with(rawLength: $0.rawLength - 1) : $0 }
  }

  @Test func `an encoding with wrong content is avoided although a version was published meanwhile`()
    async throws
  {
    try fixture.publisher.startEpoch()
    try fixture.publisher.publishSnapshot(.xz)
    let snapshots = try fixture.publisher.metadata().objects.sorted { $0.length < $1.length }
    try spoil(snapshots[0])
    let (publisher, isFirst) = (fixture.publisher, Shared(true))
    publisher.withServed {
      $0.hold = { name in
        guard name.hasPrefix("targets/"), isFirst.withLock({ $0 }) else { return }
        isFirst.withLock { $0 = false }
        try publisher.publish(["b": "Bellevue"])
      }
    }
    let report = try await store.update()
    #expect(report.plan.files == [snapshots[1].fileName, try fixture.lastDelta.fileName])
    #expect(report.action == .replaced)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    #expect(try fixture.names("partial").isEmpty && fixture.names("generations").count == 2)
  }

  @Test func `any number of objects with wrong content are avoided`() async throws {
    try fixture.publisher.startEpoch()
    let first = try fixture.lastSnapshot
    try fixture.publisher.publish(["b": "Bellevue"])
    for encoding in [ContentEncoding.gzip, .xz] {
      try fixture.publisher.publishSnapshot(encoding)
      try spoil(fixture.lastSnapshot)
    }
    let report = try await store.update()
    #expect(report.plan.files == [first.fileName, try fixture.lastDelta.fileName])
  }

  @Test func `a server without its files is asked for few of them`() async throws {
    try fixture.publisher.startEpoch()
    for name in 0..<10 {
      try fixture.publisher.publish(["a": "\(name)"])
      try fixture.publisher.publishSnapshot()
    }
    fixture.publisher.withServed { served in
      served.files = served.files.filter { !$0.key.hasPrefix("targets/") }
      served.requests = []
    }
    try await expectRefusal(.missingFile)
    let asked = fixture.publisher.withServed { $0.requests.count { $0.hasPrefix("targets/") } }
    #expect((2...9).contains(asked), "\(asked)")
  }

  @Test func `a delta with wrong content is replaced by a snapshot and earlier deltas stay applied`()
    async throws
  {
    try fixture.publisher.publish(["a": "Alex"])
    try fixture.publisher.publish(["a": "A"])
    let last = try fixture.lastDelta
    try spoil(last)
    #expect(await code { try await store.update() } == .damaged)
    #expect(try await store.stops() == ["Alex"])
    try fixture.publisher.publishSnapshot()
    let report = try await store.update()
    #expect(report.plan.reason == .onlySnapshot && report.from?.number == 2 && report.to.number == 3)
    #expect(try await store.stops() == ["A"])
  }

  @Test func `data that is unreadable for now is not downloaded again`() async throws {
    try fixture.publisher.publish(["b": "Bellevue"])
    try await fixture.hiding(store.requireCurrent()) {
      #expect(await code { try await store.update() } == .io)
    }
    #expect(try await store.update().action == .applied)
  }

  @Test func `data whose file is gone is downloaded again`() async throws {
    try Folder.remove(await store.requireCurrent().folder.file)
    #expect(try await store.update().action == .replaced)
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  @Test func `missing metadata is reported with its name and a remedy`() async throws {
    try fixture.publisher.sign()
    let name = try #require(
      fixture.publisher.withServed { $0.files.keys.filter { $0.hasSuffix(".snapshot.json") } }.max())
    fixture.publisher.withServed { $0.files[name] = nil }
    try await expectRefusal(.missingFile)
    let message = await store.state.lastError?.message ?? ""
    #expect(
      message.contains(" does not have \(name), ") && message.contains("`seedbank verify`"), "\(message)")
    #expect(!message.contains("timestamp.json"), "\(message)")
  }

  @Test func `an app with another schema for its version gets modelMismatch`() async throws {
    let fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "A"])
    let mismatched = try fixture.store(schema: .of([1]))
    #expect(await code { try await mismatched.prepare() } == .modelMismatch)
    #expect(await code { try await mismatched.keepUpdated() } == .modelMismatch)
  }

  @Test func `a delta that leads to wrong rows costs one snapshot`() async throws {
    let url = try await store.prepare().url
    try await Self.edit(url)
    try fixture.publisher.publish(["b": "Bellevue"])
    try fixture.publisher.publishSnapshot()
    let report = try await store.update()
    #expect(report.action == .replaced && report.to == .first.next)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    let requested = fixture.publisher.withServed { $0.requests.suffix(2).map { $0.split(separator: ".")[1] } }
    #expect(requested == ["delta-1-2", "snapshot-2"])
  }

  /// Another program writes to the seed file.
  private static func edit(_ url: URL) async throws {
    let connection = try Connection(url.path, .writer)
    try connection.execute("UPDATE seedbank_table SET rows = rows + 1 WHERE name = 'stop'")
  }
}
