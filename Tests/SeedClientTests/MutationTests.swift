import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// Snapshots with changed bytes under the names of the good ones.
@Suite struct MutationTests {
  private static let attempts: UInt64 = Stage.isDeep ? 10_000 : 100

  let device: StoreFixture

  init() throws {
    device = try StoreFixture(inMemory: true)
    try device.publisher.publish(["a": "Alexanderplatz"])
    try device.publisher.startEpoch()
  }

  @Test func `a snapshot that does not match its signature is never opened`() async throws {
    let store = try device.store()
    try await store.update()
    let known = try device.names("generations")
    try device.publisher.publish(["b": "Bellevue"])
    try device.publisher.publishSnapshot()
    try device.publisher.withdraw { $0.fileName.hasPrefix("delta") }
    let object = try device.lastSnapshot
    let good = try #require(device.publisher.withServed { $0.files[object.filePath] })
    for seed in 0..<Self.attempts {
      var mutation = Mutation(seed: seed)
      let bad = mutation(good)
      device.publisher.withServed { $0.files[object.filePath] = bad }
      #expect(await code { try await store.update() } == .damaged, "seed \(seed)")
      #expect(try device.names("generations") == known, "seed \(seed)")
    }
    #expect(try await store.stops() == ["Alexanderplatz"])
    device.publisher.withServed { $0.files[object.filePath] = good }
    #expect(try await store.update().action == .replaced)
  }

  @Test func `a broken compressed snapshot with a valid signature ends in an error`() async throws {
    let object = try device.lastSnapshot
    let good = try #require(device.publisher.withServed { $0.files[object.filePath] })
    for seed in 0..<Self.attempts {
      var mutation = Mutation(seed: seed)
      let bad = mutation(good)
      try sign(bad, raw: .init(length: object.rawLength, sha256: object.rawSHA256))
      // Appended bytes or a changed gzip header may leave the content intact.
      let code = await code { try await device.store().update() }
      #expect(code == .damaged || code == nil, "seed \(seed)")
      try forget()
    }
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
      try sign(Compression.gzip(bad), raw: Compression.Measure(of: bad))
      if await isUsable(seed) { opened += 1 }
      try forget()
    }
    // Most changes hit rows or pages that no check at start reads.
    print("of \(Self.attempts) broken databases that were signed, \(opened) could be read")
  }

  /// Installs the snapshot, reads all rows, applies a delta if possible, and runs the doctor.
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
      _ = try StoreExamination(device.directory, root: device.publisher.root, now: device.publisher.now).run()
    } catch {
      #expect(!isReadable && SeedError(error).code == .io, "seed \(seed): the doctor fails: \(error)")
    }
    return isReadable
  }

  private func sign(_ bytes: [UInt8], raw: Compression.Measure) throws {
    try device.publisher.replace(device.lastSnapshot, by: bytes, raw: raw)
  }

  private func forget() throws { try Folder.removeAll(device.directory) }
}
