#if canImport(SwiftUI)
public import SeedClient
public import SwiftUI

/// A live query's rows in a view, from the store in the view's environment.
///
/// ```swift
/// struct StopsView: View {
///   @SeedRows("SELECT id, name FROM stop ORDER BY name") var stops: [Stop]
///   var body: some View { List(stops) { Text($0.name) } }
/// }
/// ```
///
/// A query with values of the view's own is made in its `init`: `_stops = SeedRows("… WHERE zone = \(zone)")`. The
/// projected value, `$stops`, is the ``LiveQuery``, with its error.
@propertyWrapper @MainActor public struct SeedRows<Row: Sendable> {
  @SwiftUI.Environment(\.seeds) private var seeds
  @State private var kept = KeptQuery<Row>()
  private let query: SeedQuery
  private let make: (SeedStore, SeedQuery) -> LiveQuery<Row>

  /// The rows, as values of a type whose members have the columns' names.
  public init(_ query: SeedQuery) where Row: Decodable {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// The same; rows that are equal to those before are no change.
  public init(_ query: SeedQuery) where Row: Decodable & Equatable {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// The rows, as they are.
  public init(_ query: SeedQuery) where Row == SeedRow {
    (self.query, make) = (query, { LiveQuery($0, $1) })
  }

  /// The newest rows.
  public var wrappedValue: [Row] { projectedValue.rows }

  /// The live query: its error, whether there were rows yet, and the query itself.
  public var projectedValue: LiveQuery<Row> { kept.live(for: query, in: seeds, make) }
}

// SwiftUI calls this on the main thread, before a view's body, and its protocol does not say so.
extension SeedRows: nonisolated DynamicProperty {
  /// Asks anew where the view has another query or another store than before.
  nonisolated public func update() {
    MainActor.assumeIsolated { _ = projectedValue }
  }
}

extension EnvironmentValues {
  /// The store that the queries of views ask: `.environment(\.seeds, store)` on the app's first view.
  public var seeds: SeedStore? {
    get { self[SeedsKey.self] }
    set { self[SeedsKey.self] = newValue }
  }
}

private struct SeedsKey: EnvironmentKey { static let defaultValue: SeedStore? = nil }
#endif
