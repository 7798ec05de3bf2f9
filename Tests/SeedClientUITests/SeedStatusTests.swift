import SeedClientUI
import Support
import Testing

@Suite @MainActor struct SeedStatusTests {
  @Test func `the status shows a running and a finished update`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    let status = SeedStatus(store)
    #expect(status.state.version == nil && status.phase == nil)
    seeds.hold(.downloading)
    let update = Task { try await store.update() }
    try await until {
      guard case .downloading? = status.phase else { return false }
      return status.state.isUpdating
    }
    seeds.release()
    _ = try await update.value
    try await until { status.state.version != nil && status.phase == nil }
    #expect(status.state.lastError == nil)
  }

  @Test func `a failed update leaves an error and no phase`() async throws {
    let seeds = try Stops.publisher()
    seeds.failure = .offline
    let store = try seeds.store()
    let status = SeedStatus(store)
    _ = try? await store.update()
    try await until { status.state.lastError?.code == .network }
    #expect(status.phase == nil)
  }

  @Test func `the status ends with its last owner`() async throws {
    let seeds = try Stops.publisher()
    var store: SeedStore? = try seeds.store()
    weak let kept = store
    var status: SeedStatus? = try SeedStatus(#require(store))
    weak let observed = status
    try await store?.update()
    try await until { status?.state.version != nil }
    (store, status) = (nil, nil)
    try await until { kept == nil && observed == nil }
  }
}
