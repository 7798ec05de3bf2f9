import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A signed snapshot with false or damaged content never becomes a client's data.
@Suite struct LyingSnapshotTests {
  /// Snapshots; their numbers are the seeds.
  private static let attempts = Stage.pick(quick: 33, full: 1000, deep: 10_000)

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test func `a damaged or lying signed snapshot never becomes current, and the old rows stay`() async throws
  {
    let worlds = [
      try await LyingWorld(.gzip, leavesIndexesOut: false),
      try await LyingWorld(.gzip, leavesIndexesOut: true),
      try await LyingWorld(.xz, leavesIndexesOut: false),
    ]
    var tally: [SnapshotLie.Kind: Int] = [:]
    for number in 0..<Self.attempts {
      let world = worlds[number % worlds.count]
      let kinds = SnapshotLie.kinds(in: world)
      let kind = kinds[number / worlds.count % kinds.count]
      var lie = SnapshotLie(world, kind, seed: UInt64(number), scratch: folder)
      let isProven = kind.needsProof || number.isMultiple(of: 2)
      try await expectRejected(
        world.files(with: lie.content()), world, isProven: isProven,
        "seed \(number), \(kind) in \(world.encoding)")
      tally[kind, default: 0] += 1
    }
    print("lying snapshots, seeds from 0: \(tally.map { "\($0.value) \($0.key)" }.sorted())")
  }

  @Test(arguments: [ContentEncoding.gzip, .xz])
  func `the true snapshot of the same publication becomes current`(_ encoding: ContentEncoding) async throws {
    let world = try await LyingWorld(encoding, leavesIndexesOut: encoding == .gzip)
    let truth = SignedContent(stored: world.stored, raw: Compression.Measure(of: world.raw))
    let files = try world.files(with: truth)
    try world.copyDevice(to: folder("store"))
    let device = try world.store(files, in: folder("store"))
    try await device.update()
    try world.writeBundle(files, to: folder("bundle"))
    let app = try world.store(nil, bundle: folder("bundle"), in: folder("app"))
    for store in [device, app] {
      #expect(try await store.firstStop() == "New 1")
      await store.close()
    }
    _ = try await world.maker(files, folder("made")).make()
  }

  // MARK: Roads

  /// Offers the files to a device that has rows, to the first start of an app that ships them, and to a maker of bundles.
  private func expectRejected(
    _ files: [String: [UInt8]], _ world: LyingWorld, isProven: Bool, _ label: String
  ) async throws {
    for name in ["store", "bundle", "app"] { try Folder.removeAll(folder(name)) }
    try world.copyDevice(to: folder("store"))
    let pointer = try String(contentsOfFile: folder("store/CURRENT"), encoding: .utf8)
    let device = try world.store(files, in: folder("store"), provesRows: isProven)
    #expect(await code { try await device.update() } == .damaged, "\(label)")
    #expect(try await device.firstStop() == "Old 1", "\(label)")
    await device.close()
    #expect(try String(contentsOfFile: folder("store/CURRENT"), encoding: .utf8) == pointer, "\(label)")

    try world.writeBundle(files, to: folder("bundle"))
    let app = try world.store(nil, bundle: folder("bundle"), in: folder("app"), provesRows: isProven)
    #expect(await code { try await app.prepare() } == .bundle, "\(label)")
    await app.close()
    #expect(!Folder.exists(folder("app/CURRENT")), "\(label)")

    let maker = try world.maker(files, folder("made"))
    #expect(await code { _ = try await maker.make() } == .damaged, "\(label)")
    #expect(!Folder.exists(folder("made")), "\(label)")
  }
}

extension SeedStore {
  fileprivate func firstStop() async throws -> String? {
    try await value("SELECT name FROM stop WHERE id = 1")
  }
}
