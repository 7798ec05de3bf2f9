import SeedClient

/// Keeps a view's live query for as long as the view asks the same store the same.
@MainActor final class KeptQuery<Row: Sendable> {
  private var live: LiveQuery<Row>?
  private weak var seeds: SeedStore?
  private var asked: SeedQuery?

  nonisolated init() {}

  /// The live query of a view that asks `query` now. A query that was set in its place stays until the view asks
  /// something else.
  func live(
    for query: SeedQuery, in seeds: SeedStore?, _ make: (SeedStore, SeedQuery) -> LiveQuery<Row>
  ) -> LiveQuery<Row> {
    defer { asked = query }
    // Outside of a view's body, as in a button's action, SwiftUI may not say what the environment holds.
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
