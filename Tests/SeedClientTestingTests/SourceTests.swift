import Foundation
import SeedClient
import SeedClientTesting
import Testing

@Suite struct SourceTests {
  @Test func `a test publisher can start from a bundle`() async throws {
    let shipped = try TestPublisher(schema: Stops.schema, license: "CC0-1.0", attribution: "Stadtwerke")
    try shipped.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") }
    let seeds = try TestPublisher(bundle: await shipped.makeBundle(), model: shipped.model)
    let store = try seeds.store()
    #expect(try await store.stops == ["Alexanderplatz"])
    let state = await store.state
    #expect(state.attribution == "Stadtwerke" && state.license == "CC0-1.0")
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    #expect(try await store.update().action == .applied)
    #expect(try await store.stops == ["Alexanderplatz", "Bahnhof"])
  }

  @Test func `a test publisher can start from a store's file`() async throws {
    let shipped = try Stops.publisher()
    let file = try await shipped.store().prepare()
    let seeds = try TestPublisher(file: file.url)
    #expect(seeds.model == shipped.model)
    #expect(try await seeds.store().stops == ["Alexanderplatz"])
  }

  @Test func `a folder without a snapshot is rejected`() {
    let message = Stops.mistake {
      _ = try TestPublisher(bundle: URL(fileURLWithPath: "/nonexistent"))
      return .first
    }
    #expect(message?.contains("/nonexistent has no snapshot") == true)
  }
}
