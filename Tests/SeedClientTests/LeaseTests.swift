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

  private func reading(_ body: (SeedStore) async throws -> Void) async throws {
    try await body(try fixture.store())
  }
}
