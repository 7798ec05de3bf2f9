public import Observation
public import SeedClient

/// A live query for views: its rows now, and again after every change of the tables that it reads.
///
/// ```swift
/// @MainActor final class Board {
///   let stops: LiveQuery<Stop>
///   init(_ seeds: SeedStore) { stops = LiveQuery(seeds, "SELECT id, name FROM stop ORDER BY name", as: Stop.self) }
/// }
/// ```
///
/// It begins when it is made and ends with its last owner. Within a view, `SeedRows` makes it once.
@MainActor @Observable public final class LiveQuery<Row: Sendable> {
  private typealias Source = @Sendable (SeedQuery) -> AsyncThrowingStream<[Row], any Error>

  /// The newest rows. They stay while another query or another attempt has none yet.
  public private(set) var rows: [Row] = []
  /// Whether there were rows yet; a result without any counts.
  public private(set) var isLoaded = false
  /// Why there are no rows yet, as the store's last update says, or why they change no more; see ``retry()``. Where a
  /// row did not fit its type, the next version is tried by itself.
  public private(set) var error: SeedError?
  /// What is asked. Another query replaces the rows as soon as it has its own.
  public var query: SeedQuery {
    didSet { if query != oldValue { retry() } }
  }

  @ObservationIgnored private let source: Source
  @ObservationIgnored private let states: @Sendable () -> AsyncStream<SeedState>
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var waiting: Task<Void, Never>?

  /// The rows of a query, as values of a type whose members have the columns' names.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery, as type: Row.Type = Row.self)
  where Row: Decodable {
    self.init(query, { seeds.states }) { seeds.rows($0, as: type) }
  }

  /// The same; rows that are equal to those before are no change.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery, as type: Row.Type = Row.self)
  where Row: Decodable & Equatable {
    self.init(query, { seeds.states }) { seeds.distinctRows($0, as: type) }
  }

  /// The rows of a query, as they are.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery) where Row == SeedRow {
    self.init(query, { seeds.states }) { seeds.rows($0) }
  }

  /// A query that nobody can answer.
  convenience init(_ query: SeedQuery, failing error: SeedError) {
    self.init(query, { AsyncStream { $0.finish() } }) { _ in
      AsyncThrowingStream { $0.finish(throwing: error) }
    }
  }

  private init(
    _ query: SeedQuery, _ states: @escaping @Sendable () -> AsyncStream<SeedState>, _ source: @escaping Source
  ) {
    (self.query, self.states, self.source) = (query, states, source)
    follow()
  }

  deinit {
    following?.cancel()
    waiting?.cancel()
  }

  /// Begins anew, behind an error for instance. It updates nothing: where there is no data, `update()` does.
  public func retry() {
    setError(nil)
    follow()
  }

  private func follow() {
    following?.cancel()
    following = Task { [weak self, rows = source(query)] in
      do {
        for try await rows in rows { self?.show(rows) }
        self?.end(.closed)
      } catch { self?.end(SeedError(error)) }
    }
    if !isLoaded { waitForData() }
  }

  /// Without data a query waits, and only the store knows why there is none.
  private func waitForData() {
    waiting?.cancel()
    waiting = Task { [weak self, states = states()] in
      for await state in states where state.version == nil && !Task.isCancelled {
        self?.setError(state.lastError ?? state.bundleError)
      }
    }
  }

  private func show(_ newRows: [Row]) {
    // A query that was replaced may have had rows on their way.
    if Task.isCancelled { return }
    rows = newRows
    setError(nil)
    if !isLoaded { isLoaded = true }
    waiting?.cancel()
  }

  private func end(_ error: SeedError) {
    if Task.isCancelled { return }
    waiting?.cancel()
    setError(error)
    if error.code == .decoding { waitForNextVersion() }
  }

  /// A row that does not fit, as one with a value that a newer app knows, may be another in the next version.
  private func waitForNextVersion() {
    waiting = Task { [weak self, states = states()] in
      var failed: SeedState?
      for await state in states where !Task.isCancelled {
        guard let before = failed else {
          failed = state
          continue
        }
        if state.version != before.version { return self?.follow() ?? () }
      }
    }
  }

  /// Equal values would draw views again.
  private func setError(_ newError: SeedError?) {
    if error != newError { error = newError }
  }
}
