public import Observation
public import SeedClient

/// A store's state and its updates, for a settings screen or a bar of progress.
///
/// It begins when it is made and ends with its last owner.
@MainActor @Observable public final class SeedStatus {
  /// The data and its last update.
  public private(set) var state: SeedState
  /// What the update under way does, whoever began it; `nil` while there is none.
  public var phase: UpdatePhase? { state.isUpdating ? lastPhase : nil }

  private var lastPhase: UpdatePhase?
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// The status of a store.
  public init(_ seeds: SeedStore) {
    state = SeedState(seeds.model)
    following = [
      Task { [weak self, states = seeds.states] in for await state in states { self?.show(state) } },
      Task { [weak self, phases = seeds.phases] in for await phase in phases { self?.lastPhase = phase } },
    ]
  }

  deinit { for task in following { task.cancel() } }

  private func show(_ newState: SeedState) {
    // The next update begins with none of the last one's phases.
    if state.isUpdating, !newState.isUpdating { lastPhase = nil }
    state = newState
  }
}
