import SeedClient

/// Keeps a view's live query until the view's query or store changes.
@MainActor final class KeptQuery<Row: Sendable> {
  private var live: LiveQuery<Row>?
  private weak var seeds: SeedStore?
  private var asked: SeedQuery?

  nonisolated init() {}

  /// Returns the live query for a view's `query`. Keeps a query set on the live query until the view's own changes.
  func live(
    for query: SeedQuery, in seeds: SeedStore?, _ make: (SeedStore, SeedQuery) -> LiveQuery<Row>
  ) -> LiveQuery<Row> {
    defer { asked = query }
    // Outside a view's body, as in a button's action, SwiftUI may not provide the environment's value.
    guard let live, seeds == nil || seeds === self.seeds else { return keep(query, seeds, make) }
    if query != asked { live.query = query }
    return live
  }

  private func keep(
    _ query: SeedQuery, _ seeds: SeedStore?, _ make: (SeedStore, SeedQuery) -> LiveQuery<Row>
  ) -> LiveQuery<Row> {
    let made = seeds.map { make($0, query) } ?? LiveQuery(query, failing: .noStore)
    (live, self.seeds) = (made, seeds)
    return made
  }
}

extension SeedError {
  fileprivate static let noStore = SeedError(
    .configuration, "the view has no store: put one into its environment with .environment(\\.seeds, store)")
}
