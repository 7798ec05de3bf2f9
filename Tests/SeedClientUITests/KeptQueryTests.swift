import Support
import Testing

@testable import SeedClientUI

/// A view's query is made once, and changes with the view.
@Suite @MainActor struct KeptQueryTests {
  private let kept = KeptQuery<String>()

  private func live(_ query: SeedQuery, in store: SeedStore?) -> LiveQuery<String> {
    kept.live(for: query, in: store) { LiveQuery($0, $1) }
  }

  @Test func `a view that asks the same again has the same live query`() async throws {
    let (seeds, store) = try await Stops.updated()
    defer { withExtendedLifetime(seeds) {} }
    let first = live("SELECT name FROM stop", in: store)
    #expect(live("SELECT name FROM stop", in: store) === first)
    // SwiftUI may not say what the environment holds outside of a view's body.
    #expect(live("SELECT name FROM stop", in: nil) === first)
  }

  @Test func `a view that asks something else keeps its rows until there are others`() async throws {
    let (seeds, store) = try await Stops.updated()
    defer { withExtendedLifetime(seeds) {} }
    let first = live("SELECT name FROM stop", in: store)
    try await until { first.isLoaded }
    let second = live("SELECT lower(name) FROM stop", in: store)
    #expect(second === first && second.rows == ["Alexanderplatz"])
    try await until { second.rows == ["alexanderplatz"] }
  }

  @Test func `a query that was set stays until the view asks something else`() async throws {
    let (seeds, store) = try await Stops.updated()
    defer { withExtendedLifetime(seeds) {} }
    let live1 = live("SELECT 1", in: store)
    live1.query = "SELECT 2"
    #expect(live("SELECT 1", in: store).query == "SELECT 2")
    #expect(live("SELECT 3", in: store).query == "SELECT 3")
  }

  @Test func `a view without a store says how to give it one, and takes the one that comes`() async throws {
    let (seeds, store) = try await Stops.updated()
    defer { withExtendedLifetime(seeds) {} }
    let without = live("SELECT name FROM stop", in: nil)
    try await until { without.error != nil }
    #expect(
      without.error?.message
        == "the view has no store: put one into its environment with .environment(\\.seeds, store)")
    let names = live("SELECT name FROM stop", in: store)
    try await until { names.rows == ["Alexanderplatz"] }
  }

  @Test func `a view that gets another store shows that one's rows`() async throws {
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
