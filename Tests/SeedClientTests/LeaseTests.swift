import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// A generation with a reader in any process stays; one without is removed.
@Suite struct LeaseTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  private func generations() throws -> Int { try fixture.names("generations").count }

  @Test func `a released generation is removed at the next check`() async throws {
    let writer = try fixture.store()
    try await writer.prepare()
    try await reading { reader in
      let held = try await reader.prepare()
      for number in 2...4 {
        try fixture.publishGeneration(["a": "Name \(number)"])
        try await writer.update()
      }
      try await writer.update()
      #expect(try generations() == 3)
      #expect(try stops(inFile: held.url) == ["One"])
    }
    try await writer.update()
    #expect(try generations() == 2)
  }

  @Test func `a read-only store opens a new generation at its next read`() async throws {
    let writer = try fixture.store()
    try await writer.prepare()
    let reader = try fixture.store()
    var files = reader.files.makeAsyncIterator()
    #expect(try await reader.stops() == ["One"])
    let first = await files.next()
    try fixture.publishGeneration(["a": "Two"])
    try await writer.update()
    #expect(try await reader.stops() == ["Two"])
    let second = await files.next()
    #expect(first?.url != second?.url && second?.version == .first.next)
  }

  @Test func `a generation without its record is a leftover and is removed`() async throws {
    try await reading { try await $0.prepare() }
    let half = "\(fixture.directory)/generations/9-00ff"
    try FileManager.default.createDirectory(atPath: half, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(half)/seed.sqlite"))
    let store = try fixture.store()
    try await store.update()
    #expect(try generations() == 1)
  }

  private func reading(_ body: (SeedStore) async throws -> Void) async throws {
    try await body(try fixture.store())
  }
}
