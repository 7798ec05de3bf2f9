public import Observation
public import SeedClient

/// A store's state and updates, to show as settings or progress. Active until its last reference is released.
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
