#if canImport(SwiftUI)
public import SeedClient
public import SwiftUI

import class Foundation.Thread

/// A live query's rows in a view, from the store in the view's environment.
///
/// ```swift
/// struct StopsView: View {
///   @SeedRows("SELECT id, name FROM stop ORDER BY name") var stops: [Stop]
///   var body: some View { List(stops) { Text($0.name) } }
/// }
/// ```
///
/// Create a query with the view's own values in its `init`: `_stops = SeedRows("… WHERE zone = \(zone)")`.
@propertyWrapper @MainActor public struct SeedRows<Row: Sendable> {
  @SwiftUI.Environment(\.seeds) private var seeds
  @State private var kept = KeptQuery<Row>()
  private let query: SeedQuery
  private let make: (SeedStore, SeedQuery) -> LiveQuery<Row>

  /// Decodes rows into a type by column name.
  public init(_ query: SeedQuery) where Row: Decodable {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// Decodes rows into a type by column name, and ignores results equal to the last.
  public init(_ query: SeedQuery) where Row: Decodable & Equatable {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// Yields rows without decoding.
  public init(_ query: SeedQuery) where Row == SeedRow {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// The newest rows.
  public var wrappedValue: [Row] { projectedValue.rows }

  /// The live query, with its error and loading state.
  public var projectedValue: LiveQuery<Row> { kept.live(for: query, in: seeds, make) }
}

extension SeedRows: nonisolated DynamicProperty {
  /// Restarts the query if the view's query or store has changed.
  nonisolated public func update() {
    // The protocol does not promise the main thread. On another thread, this can be skipped: the view's body
    // restarts the query when it reads the rows.
    guard Thread.isMainThread else { return }
    MainActor.assumeIsolated { _ = projectedValue }
  }
}

extension EnvironmentValues {
  /// The store for views' queries: set `.environment(\.seeds, store)` on the app's root view.
  public var seeds: SeedStore? {
    get { self[SeedsKey.self] }
    set { self[SeedsKey.self] = newValue }
  }
}

private struct SeedsKey: EnvironmentKey { static let defaultValue: SeedStore? = nil }
#endif
