import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  /// Checks the server once and applies its data. Uses `first` as the policy while the device has no data.
  func performUpdate(
    _ policy: UpdatePolicy = UpdatePolicy(), first: UpdatePolicy? = nil,
    _ listener: (@Sendable (UpdatePhase) -> Void)? = nil
  ) async throws -> UpdateReport {
    let start = environment.uptime()
    let phases = PhaseSender(uptime: environment.uptime) { [onPhase, phaseSender] phase in
      onPhase(phase)
      phaseSender.send(phase)
      listener?(phase)
    }
    state.isUpdating = true
    defer { state.isUpdating = false }
    do {
      var attempt = try await beginAttempt(policy, first: first ?? policy, phases)
      let from = attempt.plan.from
      try await run(&attempt)
      if await !writer.emptyLog() { emptyLogLater() }
      let plan = attempt.plan
      await noteSuccess(hasChanged: plan.action != .upToDate)
      let report = UpdateReport(
        plan: plan, from: from, seed: try requireCurrent().seed(at: state.version ?? plan.to),
        bytes: attempt.bytes, traffic: attempt.fetcher.context.traffic, rows: attempt.rows,
        lifecycle: attempt.metadata.state.lifecycle, duration: environment.uptime() - start)
      log.info("\(report)")
      phases.enter(.finished(report))
      return report
    } catch { throw current == nil ? withBundleError(error) : error }
  }

  func beginAttempt(
    _ policy: UpdatePolicy, first: UpdatePolicy, _ phases: PhaseSender
  ) async throws -> UpdateAttempt {
    phases.enter(.checking)
    try Task.checkCancellation()
    let generation = try await withBundle(over: beginWriting())
    var fetcher = try requireFetcher()
    fetcher.context = UpdateContext(policy: generation == nil ? first : policy, phases: phases)
    let metadata = try await writer.refresh(fetcher)
    note(metadata.state)
    return try await UpdateAttempt(
      model, fetcher, metadata, local: localMeta(generation), rejected: writer.rejected())
  }

  func requireFetcher() throws(SeedError) -> Fetcher {
    guard let fetcher else { throw .readOnly(layout.directory) }
    return fetcher
  }

  private func localMeta(_ generation: Generation?) async -> SeedMeta? {
    guard let generation else { return nil }
    return try? await meta(of: generation)
  }

  /// Carries out the plan. If that fails, tries one other plan; otherwise the data stays.
  private func run(_ attempt: inout UpdateAttempt) async throws {
    while true {
      try await checkLimits(attempt)
      do {
        return try await carryOut(&attempt)
      } catch {
        try await decideAgain(&attempt, after: error)
      }
    }
  }

  private func checkLimits(_ attempt: UpdateAttempt) async throws {
    let plan = attempt.plan
    if let most = attempt.fetcher.context.policy.maximumBytes, plan.bytes > most {
      throw SeedError(
        .tooLarge,
        "the update would download \(ByteCount(bytes: plan.bytes)), but its policy allows \(ByteCount(bytes: most)): wait for a better network or "
          + "allow more", neededBytes: plan.bytes, availableBytes: most)
    }
    guard plan.action != .upToDate else {
      // Removes downloads left by a process that died after its swap. They are harmless, so errors are ignored.
      _ = try? await attempt.fetcher.partial.keep([])
      return
    }
    try await attempt.fetcher.partial.makeRoom(
      for: plan.objects, in: layout.directory, freeBytes: environment.freeBytes)
  }

  private func carryOut(_ attempt: inout UpdateAttempt) async throws {
    guard attempt.plan.action != .upToDate else { return }
    let files = try await fetch(&attempt)
    guard attempt.plan.action == .replaced else {
      return try await apply(files, to: requireCurrent(), &attempt)
    }
    let name = try await writer.replace(by: files[0], files.dropFirst(), epoch: attempt.metadata.state.epoch)
    // Only now, so that an update cancelled while applying deltas can reuse the downloads.
    for file in files { file.discard() }
    try await openSwapped(name)
    // A new file may differ anywhere.
    attempt.rows = [:]
  }

  /// Seconds between attempts to checkpoint the log after an update.
  private static let logWaits = [0.25, 0.5, 1, 2, 4]

  /// Continuous readers can block a checkpoint, but those that start after its pages were copied read the file and not
  /// the log: once older readers have ended, a later attempt succeeds.
  private func emptyLogLater() {
    Task { [weak self, environment] in
      for wait in Self.logWaits {
        try await environment.sleep(.seconds(wait))
        guard let writer = self?.writer, await !writer.emptyLog() else { return }
      }
    }
  }

  /// Finds another plan after a failure, or rethrows it:
  /// - If the deltas do not fit the rows, a snapshot.
  /// - If an object is missing or damaged, newer metadata or other objects.
  private func decideAgain(_ attempt: inout UpdateAttempt, after failure: any Error) async throws {
    try Task.checkCancellation()
    if failure is DeltaMismatch, attempt.plan.action == .applied {
      guard attempt.replaceDeltas(from: state.version) else { throw failure }
    } else if let unusable = failure as? UnusableObject, !attempt.hasLookedAgain {
      let metadata = try await writer.refresh(attempt.fetcher)
      note(metadata.state)
      let local = await localMeta(current)
      guard attempt.goOn(with: metadata, from: local, without: unusable.object) else { throw failure }
    } else {
      throw failure
    }
  }

  private func fetch(_ attempt: inout UpdateAttempt) async throws -> [FetchedObject] {
    let objects = attempt.plan.objects
    attempt.phases.enter(.downloading(bytes: 0, totalBytes: objects.bytes))
    var fetched: [FetchedObject] = []
    for object in objects {
      do {
        fetched.append(try await Download(object, for: attempt.fetcher).run())
      } catch {
        throw UnusableObject(object, error) ?? error
      }
      attempt.bytes += object.length
    }
    return fetched
  }

  private func apply(
    _ deltas: [FetchedObject], to generation: Generation, _ attempt: inout UpdateAttempt
  ) async throws {
    attempt.phases.enter(.applying(deltas.map(\.object)))
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await applyEach(of: deltas, to: generation, &attempt))
    } catch { outcome = .failure(error) }
    // Once for all deltas, even if a later one failed.
    if let version = state.version {
      await announce(generation, at: version)
      await writer.tellOthers()
    }
    try outcome.get()
  }

  private func applyEach(
    of deltas: [FetchedObject], to generation: Generation, _ attempt: inout UpdateAttempt
  ) async throws {
    for delta in deltas {
      guard let version = state.version else { return }
      let changes = try await writer.apply(delta, to: generation, at: version)
      attempt.rows.merge(changes.tables) { $0 + $1 }
      attempt.phases.advance(rows: changes.rowCount)
      changesSender.send(changes)
      state.version = changes.version
    }
  }

  // MARK: State

  private func note(_ series: SeriesState) {
    pace = Pace(pollSeconds: series.pollSeconds)
    state.record.newestVersion = series.head
    state.record.publishedAt = series.publishedAt
    state.record.lifecycle = series.lifecycle
  }

  func noteSuccess(hasChanged: Bool) async {
    let now = environment.now()
    state.record.lastChecked = now
    state.hasLooked = true
    state.lastError = nil
    if hasChanged { state.record.lastUpdated = now }
    await keepState()
  }
}
