import Foundation
import SeedClient
import SeedClientTesting
import Support
import Testing

@Suite struct PreviewTests {
  @Test func `a preview store has its rows at once and keeps its publisher alive`() async throws {
    let store = SeedStore.preview(schema: Stops.schema) {
      $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop")
    }
    for try await names in store.observe("SELECT name FROM stop", as: String.self) {
      #expect(names == ["Alexanderplatz"])
      break
    }
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `a preview of a bundle has its rows and the changes`() async throws {
    let shipped = try Stops.publisher()
    defer { withExtendedLifetime(shipped) {} }
    let bundle = try await shipped.makeBundle()
    let store = SeedStore.preview(bundle: bundle) { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    #expect(try await store.stops == ["Alexanderplatz", "Bahnhof"])
  }

  @Test func `a preview of a failure has no data and reports the reason`() async throws {
    let store = SeedStore.preview(schema: Stops.schema, failure: .signInPage)
    #expect(await code { _ = try await store.stops } == .server)
  }

  @Test func `a mistake in a preview stops the program with a message`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = SeedStore.preview(schema: "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL)") {
        $0.put(["name": "Alexanderplatz"], in: "stop")
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("this preview has no data: table \"stop\" has no column \"name\""))
  }
}
