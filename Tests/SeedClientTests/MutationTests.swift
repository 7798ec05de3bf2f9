import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// Signed snapshots with changed bytes.
@Suite struct MutationTests {
  private static let attempts: UInt64 = Stage.pick(quick: 25, full: 100, deep: 10_000)

  let device: StoreFixture

  init() throws {
    device = try StoreFixture()
    try device.publisher.publish(["a": "Alexanderplatz"])
    try device.publisher.startEpoch()
  }

  @Test func `a broken database with a valid signature causes no crash or hang`() async throws {
    let object = try device.lastSnapshot
    let stored = device.folder("stored")
    let good = try #require(device.publisher.withServed { $0.files[object.filePath] })
    try DurableFile.write(good, to: stored)
    _ = try Compression.expand(stored, to: device.folder("raw"), .gzip, limit: object.rawLength)
    let raw = try DurableFile.read(device.folder("raw"), limit: object.rawLength)
    var opened = 0
    for seed in 0..<Self.attempts {
      var mutation = Mutation(seed: seed)
      let bad = mutation(raw)
      try device.publisher.replace(
        device.lastSnapshot, by: Compression.gzip(bad), raw: Compression.Measure(of: bad))
      if await isUsable(seed) { opened += 1 }
      try Folder.removeAll(device.directory)
    }
    // Most changes hit rows or pages that no check at start reads.
    print("of \(Self.attempts) broken databases that were signed, \(opened) could be read")
  }

  /// Installs the snapshot, reads all rows, applies a delta if possible, and examines the store.
  private func isUsable(_ seed: UInt64) async -> Bool {
    var isReadable = false
    do {
      let store = try device.store()
      try await store.update()
      _ = try await store.read { reader in
        try ["stop", "line", "seedbank_meta", "seedbank_table"].map {
          try reader.rows(SeedQuery(sql: "SELECT * FROM \($0)")).count
        }
      }
      isReadable = true
    } catch {
      #expect(error is SeedError, "seed \(seed): \(error)")
    }
    do {
      _ = try StoreExamination(device.directory, root: device.publisher.root).run()
    } catch {
      #expect(!isReadable && SeedError(error).code == .io, "seed \(seed): the doctor fails: \(error)")
    }
    return isReadable
  }
}
