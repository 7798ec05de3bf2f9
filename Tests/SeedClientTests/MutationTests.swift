import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// Snapshots of which bytes were changed, under the names that the good ones have.
@Suite struct MutationTests {
  private static let attempts: UInt64 = Stage.isDeep ? 10_000 : 100

  let device: StoreFixture

  init() throws {
    device = try StoreFixture(inMemory: true)
    try device.publisher.publish(["a": "Alexanderplatz"])
    try device.publisher.startEpoch()
  }

  @Test func `a snapshot that is not the signed one is never opened`() async throws {
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

  @Test func `a compressed snapshot that was signed though it is broken ends in an error`() async throws {
    let object = try device.lastSnapshot
    let good = try #require(device.publisher.withServed { $0.files[object.filePath] })
    for seed in 0..<Self.attempts {
      var mutation = Mutation(seed: seed)
      let bad = mutation(good)
      try sign(bad, raw: .init(length: object.rawLength, sha256: object.rawSHA256))
      // What was appended to a whole gzip file or changed in its header may leave the content as it is.
      let code = await code { try await device.store().update() }
      #expect(code == .damaged || code == nil, "seed \(seed)")
      try forget()
    }
  }

  @Test func `a database that was signed though it is broken neither crashes nor hangs`() async throws {
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
    // Most changes are in rows or in pages that nothing reads on the way in.
    print("of \(Self.attempts) broken databases that were signed, \(opened) could be read")
  }

  /// Takes it in, asks for all rows, applies a delta where there is one, and lets the doctor look.
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
      Issue.record("seed \(seed): the doctor fails: \(error)")
    }
    return isReadable
  }

  /// Signs other bytes in the snapshot's place.
  private func sign(_ bytes: [UInt8], raw: Compression.Measure) throws {
    try device.publisher.replace(device.lastSnapshot, by: bytes, raw: raw)
  }

  private func forget() throws { try Folder.removeAll(device.directory) }
}
