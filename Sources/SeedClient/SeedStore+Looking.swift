import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  // MARK: One look

  /// One look by the default policy, for whoever needs data now.
  func looking() async throws -> UpdateReport { try await looking(errand(UpdatePolicy(), onPhase)) }

  /// One look, and what it calls for.
  func looking(_ errand: Errand) async throws -> UpdateReport {
    let start = surroundings.uptime()
    var journey = try await setOut(errand)
    try await follow(journey.decision, &journey)
    guard let current else { throw SeedError(.damaged, "there is no seed in \(layout.directory)") }
    let plan = try journey.plan
    noteSuccess(hasChanged: plan.action != .upToDate)
    await keepState()
    let report = UpdateReport(
      plan: plan, from: journey.local?.version, seed: try await seed(of: current), bytes: journey.bytes,
      traffic: errand.cost, rows: journey.rows, lifecycle: journey.metadata.state.lifecycle,
      duration: surroundings.uptime() - start)
    errand.phases.enter(.finished(report))
    return report
  }

  /// What this store does for an update.
  func errand(_ policy: UpdatePolicy, _ tell: @escaping @Sendable (UpdatePhase) -> Void) -> Errand {
    Errand(policy: policy, phases: PhaseSender(uptime: surroundings.uptime, tell))
  }

  /// Asks the server, and decides.
  func setOut(_ errand: Errand) async throws -> Journey {
    errand.phases.enter(.checking)
    try Task.checkCancellation()
    let local = try await takingBundle(over: beginWriting())
    let fetcher = fetcher.on(errand)
    let metadata = try await writer.look(fetcher)
    note(metadata.state)
    // A file that can no longer be read is as good as none: a snapshot takes its place.
    return Journey(
      model: model, fetcher: fetcher, metadata: metadata, local: try? await local?.reader.meta(),
      rejected: try await writer.rejected())
  }

  /// Does what was decided. Where that comes to nothing there is another road, once; else the data stays.
  private func follow(_ decision: Decision, _ journey: inout Journey) async throws {
    journey.decision = decision
    try await check(journey)
    do {
      try await take(decision, &journey)
    } catch let mismatch as DeltaMismatch where journey.isOnDeltas {
      try Task.checkCancellation()
      let replacement = Decision.replacement(
        journey.metadata, for: state.version, rejected: journey.rejected)
      guard !replacement.objects.isEmpty else { throw mismatch }
      try await follow(replacement, &journey)
    } catch let failure as Unobtainable where !journey.hasDetoured {
      try await detour(after: failure, &journey)
    }
  }

  /// Asks once more, for the publisher may have moved on, and else decides without the object.
  private func detour(after failure: Unobtainable, _ journey: inout Journey) async throws {
    let metadata = try await writer.look(journey.fetcher)
    journey.detour(metadata, without: failure.object)
    note(metadata.state)
    let decision = journey.decided
    guard !decision.objects.isEmpty else { throw failure }
    try await follow(decision, &journey)
  }

  /// What must hold before the first byte is fetched.
  private func check(_ journey: Journey) async throws {
    let errand = journey.fetcher.errand
    try errand.policy.check(journey.plan)
    let objects = journey.decision.objects
    guard !objects.isEmpty else { return }
    let plan = DiskPlan(objects, held: try await journey.fetcher.partial.keep(objects))
    try await journey.fetcher.partial.check(plan, in: layout.directory, surroundings)
  }

  private func take(_ decision: Decision, _ journey: inout Journey) async throws {
    switch decision {
    case .upToDate: return
    case .refuse(let refusal): throw SeedError(refusal)
    case .apply(let chain, _): try await apply(chain, &journey)
    case .download(let snapshot, let chain, _): try await replace(by: snapshot, chain, &journey)
    }
  }

  private func apply(_ chain: [PublishedObject], _ journey: inout Journey) async throws {
    guard let generation = current else { return }
    let deltas = try await fetch(chain, &journey)
    let phases = journey.fetcher.errand.phases
    phases.enter(.applying(chain))
    for delta in deltas {
      let changes = try await writer.apply(delta, to: seed(of: generation))
      journey.add(changes)
      phases.changed(rows: changes.rowCount)
      changesSender.send(changes)
      announce(try await seed(of: generation))
    }
  }

  private func replace(
    by snapshot: PublishedObject, _ chain: [PublishedObject], _ journey: inout Journey
  ) async throws {
    let phases = journey.fetcher.errand.phases
    let fetched = try await fetch([snapshot] + chain, &journey)
    do {
      try await writer.stage(fetched[0], epoch: journey.metadata.state.epoch)
      if !chain.isEmpty { phases.enter(.applying(chain)) }
      for delta in fetched.dropFirst() { try await writer.applyStaged(delta) }
    } catch {
      await writer.discardStaged()
      throw error
    }
    phases.enter(.swapping)
    guard let name = try await writer.swap() else { return }
    // Not before: whoever is cancelled while the changes are applied begins with the whole files.
    for file in fetched { file.discard() }
    _ = try await openSwapped(name)
    journey.rows = [:]
  }

  /// All files of a road, before the first of them is used.
  private func fetch(
    _ objects: [PublishedObject], _ journey: inout Journey
  ) async throws -> [FetchedObject] {
    journey.fetcher.errand.phases.enter(.downloading(bytes: 0, totalBytes: objects.bytes))
    var fetched: [FetchedObject] = []
    for object in objects {
      do {
        fetched.append(try await journey.fetcher.object(object))
      } catch {
        throw Unobtainable(object, error) ?? error
      }
      journey.bytes += object.length
    }
    return fetched
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
    state.head = series.head
    state.publishedAt = series.publishedAt.date
    state.lifecycle = series.lifecycle
  }

  func noteSuccess(hasChanged: Bool) {
    let now = surroundings.now().date
    state.lastChecked = now
    state.hasLooked = true
    state.lastError = nil
    if hasChanged { state.lastUpdated = now }
  }
}

extension UpdatePhase {
  /// The beginning of an apply of these.
  fileprivate static func applying(_ chain: [PublishedObject]) -> UpdatePhase {
    .applying(rows: 0, bytes: 0, totalBytes: chain.reduce(0) { $0 + $1.rawLength })
  }
}

extension SeedChanges {
  fileprivate var rowCount: Int {
    tables.values.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted }
  }
}
