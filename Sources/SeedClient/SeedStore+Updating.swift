import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  /// Takes one look at the server and does what it calls for.
  ///
  /// Whatever fails, the data that was there stays. When another update is under way this one waits for its
  /// end.
  @discardableResult
  public func update() async throws(SeedError) -> UpdateReport {
    await takeTurn()
    defer { turns.end() }
    do {
      return try await looking()
    } catch {
      throw failure(error)
    }
  }

  /// Prepares, updates, and goes on looking at the pace that the publisher asks for, until the task is
  /// cancelled.
  ///
  /// A failed look takes nothing away and does not end this: the next one comes after a wait that grows with
  /// every failure, and ``state`` says what is wrong. It throws `CancellationError` when the task is
  /// cancelled, and a ``SeedError`` when trying again cannot help: the app's schema is not the published one.
  ///
  /// - Parameter onFailure: Is told of each failed look that another one follows.
  public func keepUpdated(onFailure: @Sendable (SeedError) -> Void = { _ in }) async throws {
    var failures = 0
    while true {
      switch await failureOfLook() {
      case nil: failures = 0
      case let failure? where failure.isRetryable:
        failures += 1
        onFailure(failure)
      case let failure?: throw failure.code == .cancelled ? CancellationError() : failure
      }
      try await surroundings.sleep(pace.wait(afterFailures: failures, chance: surroundings.chance()))
    }
  }

  private func failureOfLook() async -> SeedError? {
    do {
      // What is on the device is shown before the server is asked.
      if current == nil { try await prepare() }
      try await update()
      return nil
    } catch {
      return error
    }
  }

  // MARK: Turns

  func takeTurn() async {
    if !turns.takeIfFree() { await withCheckedContinuation { turns.wait($0) } }
  }

  func failure(_ error: any Error) -> SeedError {
    let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
    if failure.code != .cancelled { state.lastError = failure }
    return failure
  }

  // MARK: One look

  func looking() async throws -> UpdateReport {
    try Task.checkCancellation()
    let local = try await beginWriting()
    // A file that can no longer be read is as good as none: a snapshot takes its place.
    let meta = try? await local?.reader.meta()
    let metadata = try await writer.look(fetcher, now: surroundings.now())
    note(metadata.state)
    var journey = Journey(from: meta?.version)
    try await act(Decision.make(metadata, meta, model), metadata, &journey)
    guard let current else { throw SeedError(.damaged, "there is no seed in \(layout.directory)") }
    noteSuccess(hasChanged: journey.action != .upToDate)
    return UpdateReport(
      action: journey.action, from: journey.from, seed: try await seed(of: current), bytes: journey.bytes)
  }

  private func act(
    _ decision: Decision, _ metadata: SeriesMetadata, _ journey: inout Journey
  ) async throws {
    switch decision {
    case .upToDate: return
    case .refuse(let refusal): throw SeedError(refusal)
    case .download(let snapshot, let chain): try await replace(by: snapshot, chain, metadata, &journey)
    case .apply(let chain):
      do {
        try await apply(chain, &journey)
      } catch is DeltaMismatch {
        // Once from a snapshot; a mismatch there is reported.
        try await act(.replacement(metadata, for: state.version), metadata, &journey)
      }
    }
  }

  private func apply(_ chain: [PublishedObject], _ journey: inout Journey) async throws {
    guard let generation = current else { return }
    for delta in chain {
      let fetched = try await fetcher.object(delta)
      journey.bytes += delta.length
      let changes = try await writer.apply(fetched, to: generation)
      journey.action = .applied
      let seed = try await seed(of: generation)
      openingsSender.replaceLatest(seed)
      changesSender.send(changes)
      moments.send(seed)
    }
  }

  private func replace(
    by snapshot: PublishedObject, _ chain: [PublishedObject], _ metadata: SeriesMetadata,
    _ journey: inout Journey
  ) async throws {
    try FreeSpace.check(for: snapshot, in: layout.directory)
    do {
      try await writer.stage(fetcher.object(snapshot), epoch: metadata.state.epoch)
      for delta in chain { try await writer.applyStaged(fetcher.object(delta)) }
    } catch {
      await writer.discardStaged()
      throw error
    }
    journey.bytes += ([snapshot] + chain).reduce(0) { $0 + $1.length }
    guard let name = try await writer.swap() else { return }
    try await open(Generation(name, in: layout))
    journey.action = .replaced
  }

  // MARK: State

  func note(_ meta: SeedMeta) {
    state.version = meta.version
    state.license = meta.provenance.license
    state.attribution = meta.provenance.attribution
    state.source = meta.provenance.source
  }

  private func note(_ series: SeriesState) {
    pace = Pace(pollSeconds: series.pollSeconds)
    state.newestVersion = series.head
    state.publishedAt = series.publishedAt.date
    state.lifecycle = series.lifecycle
  }

  private func noteSuccess(hasChanged: Bool) {
    let now = surroundings.now().date
    state.lastChecked = now
    state.lastError = nil
    if hasChanged { state.lastUpdated = now }
  }
}

/// What a look has done so far.
private struct Journey {
  let from: Version?
  var action = UpdateReport.Action.upToDate
  var bytes = 0
}
