import Support
import Testing

@testable import SeedClientUI

@Suite @MainActor struct KeptQueryTests {
  private let kept = KeptQuery<String>()

  private func live(_ query: SeedQuery, in store: SeedStore?) -> LiveQuery<String> {
    kept.live(for: query, in: store) { LiveQuery($0, $1) }
  }

  @Test func `a view with the same query keeps its live query`() async throws {
    let (_, store) = try await Stops.updated()
    let first = live("SELECT name FROM stop", in: store)
    #expect(live("SELECT name FROM stop", in: store) === first)
    // SwiftUI's environment may be unavailable outside of a view's body.
    #expect(live("SELECT name FROM stop", in: nil) === first)
  }

  @Test func `a view with another query keeps its rows until new ones arrive`() async throws {
    let (_, store) = try await Stops.updated()
    let first = live("SELECT name FROM stop", in: store)
    try await until { first.isLoaded }
    let second = live("SELECT lower(name) FROM stop", in: store)
    #expect(second === first && second.rows == ["Alexanderplatz"])
    try await until { second.rows == ["alexanderplatz"] }
  }

  @Test func `a query set on the live query stays until the view's query changes`() async throws {
    let (_, store) = try await Stops.updated()
    let live1 = live("SELECT 1", in: store)
    live1.query = "SELECT 2"
    #expect(live("SELECT 1", in: store).query == "SELECT 2")
    #expect(live("SELECT 3", in: store).query == "SELECT 3")
  }

  @Test func `a view without a store reports the remedy and uses a later store`() async throws {
    let (_, store) = try await Stops.updated()
    let without = live("SELECT name FROM stop", in: nil)
    try await until { without.error != nil }
    #expect(
      without.error?.message
        == "the view has no store: put one in its environment with .environment(\\.seeds, store)")
    let names = live("SELECT name FROM stop", in: store)
    try await until { names.rows == ["Alexanderplatz"] }
  }

  @Test func `a view with another store shows its rows`() async throws {
    let (seeds, store) = try await Stops.updated()
    let other = try seeds.store()
    let names = live("SELECT name FROM stop", in: store)
    try await until { names.isLoaded }
    try seeds.publish { $0.change("a", in: "stop", to: ["name": "Alex"]) }
    try await other.update()
    let others = live("SELECT name FROM stop", in: other)
    try await until { others.rows == ["Alex"] }
    #expect(names !== others)
  }
}
