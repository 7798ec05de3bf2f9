public import Observation
public import SeedClient

/// A live query for views: its rows now and after each change to the tables that it reads.
///
/// It runs from its creation until its last reference is released. In a view, use `SeedRows`.
@MainActor @Observable public final class LiveQuery<Row: Sendable> {
  private typealias Source = @Sendable (SeedQuery) -> AsyncThrowingStream<[Row], any Error>

  /// The newest rows. After a new query or a retry, the old rows stay until the new ones arrive.
  public private(set) var rows: [Row] = []
  /// Whether a result has arrived, even an empty one.
  public private(set) var isLoaded = false
  /// The error that ended the query (see ``retry()``); until the first rows arrive, the store's last error. If a row
  /// does not fit its type, the query retries with the next version.
  public private(set) var error: SeedError?
  /// The current query. After a change, the old rows stay until the new ones arrive.
  public var query: SeedQuery {
    didSet { if query != oldValue { retry() } }
  }

  @ObservationIgnored private let source: Source
  @ObservationIgnored private let seeds: SeedStore?
  /// The version at the start of the query. The store may have a newer one by the time the query fails.
  @ObservationIgnored private var begun: SeedVersion?
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var waiting: Task<Void, Never>?

  /// Decodes rows into a type by column name.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery, as type: Row.Type = Row.self)
  where Row: Decodable {
    self.init(query, seeds) { seeds.observe($0, as: type) }
  }

  /// Decodes rows into a type by column name, and ignores results equal to the last.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery, as type: Row.Type = Row.self)
  where Row: Decodable & Equatable {
    self.init(query, seeds) { seeds.observe($0, as: type, removingDuplicates: true) }
  }

  /// Yields rows without decoding.
  public convenience init(_ seeds: SeedStore, _ query: SeedQuery) where Row == SeedRow {
    self.init(query, seeds) { seeds.observe($0) }
  }

  convenience init(_ query: SeedQuery, failing error: SeedError) {
    self.init(query, nil) { _ in AsyncThrowingStream { $0.finish(throwing: error) } }
  }

  private init(_ query: SeedQuery, _ seeds: SeedStore?, _ source: @escaping Source) {
    (self.query, self.seeds, self.source) = (query, seeds, source)
    follow()
  }

  deinit {
    following?.cancel()
    waiting?.cancel()
  }

  /// Restarts the query, for example after an error. Does not download data; `update()` does.
  public func retry() {
    setError(nil)
    follow()
  }

  private func follow() {
    following?.cancel()
    begun = seeds?.latestVersion
    following = Task { [weak self, rows = source(query)] in
      do {
        for try await rows in rows { self?.show(rows) }
        self?.end(.closed)
      } catch { self?.end(SeedError(error)) }
    }
    if !isLoaded { waitForData() }
  }

  /// Until the first data arrives, shows the store's last error, because the query itself only waits.
  private func waitForData() {
    waiting?.cancel()
    waiting = seeds.map { seeds in
      Task { [weak self, states = seeds.states] in
        for await state in states {
          guard let self, !Task.isCancelled else { return }
          if state.version == nil { setError(state.lastError ?? state.bundleError) }
        }
      }
    }
  }

  /// Retries with the next version, which may no longer contain the row that does not fit.
  private func waitForNextVersion() {
    waiting = seeds.map { seeds in
      Task { [weak self, begun] in
        if await seeds.follows(otherThan: begun), !Task.isCancelled { self?.follow() }
      }
    }
  }

  private func show(_ newRows: [Row]) {
    // A replaced query may still deliver rows.
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

  /// Assigns only changes, because equal values would redraw views.
  private func setError(_ newError: SeedError?) {
    if error != newError { error = newError }
  }
}

/// Keeps a view's live query until the view's query or store changes.
@MainActor final class KeptQuery<Row: Sendable> {
  private var live: LiveQuery<Row>?
  private weak var seeds: SeedStore?
  private var asked: SeedQuery?

  nonisolated init() {}

  /// Returns the live query for a view's `query`. If the app has assigned another query to the live query, the
  /// assigned query stays until `query` changes.
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
    if seeds == nil { SeedLog.writeToSystem(.error, "\(query.sql): \(SeedError.noStore)") }
    let made = seeds.map { make($0, query) } ?? LiveQuery(query, failing: .noStore)
    (live, self.seeds) = (made, seeds)
    return made
  }
}

extension SeedError {
  fileprivate static let noStore = SeedError(
    .configuration, "the view has no store: put one in its environment with .environment(\\.seeds, store)")
}

/// A store's state and updates, to show in settings or as progress. Active until its last reference is released.
@MainActor @Observable public final class SeedStatus {
  /// The data and its last update.
  public private(set) var state: SeedState
  /// The phase of the current update; `nil` if none is running.
  public var phase: UpdatePhase? { state.isUpdating ? lastPhase : nil }

  private var lastPhase: UpdatePhase?
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// Observes a store.
  public init(_ seeds: SeedStore) {
    state = SeedState(seeds.model)
    following = [
      Task { [weak self, states = seeds.states] in for await state in states { self?.show(state) } },
      Task { [weak self, phases = seeds.phases] in for await phase in phases { self?.lastPhase = phase } },
    ]
  }

  deinit { for task in following { task.cancel() } }

  private func show(_ newState: SeedState) {
    // The next update must not start with the last one's phase.
    if state.isUpdating, !newState.isUpdating { lastPhase = nil }
    state = newState
  }
}
