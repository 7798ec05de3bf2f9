import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  /// Checks the server once and applies its data. If `policy` is nil, a first download is unlimited, and
  /// ``UpdatePolicy/background`` limits later updates.
  func performUpdate(
    _ policy: UpdatePolicy? = UpdatePolicy(), _ listener: (@Sendable (UpdatePhase) -> Void)? = nil
  ) async throws -> UpdateReport {
    let start = environment.uptime()
    let phases = PhaseSender(uptime: environment.uptime) { [onPhase, phaseSender] phase in
      onPhase(phase)
      phaseSender.send(phase)
      listener?(phase)
    }
    currentState.isUpdating = true
    defer { currentState.isUpdating = false }
    do {
      var attempt = try await planUpdate(policy, phases)
      while true {
        do {
          try await carryOut(&attempt)
          break
        } catch { try await planAgain(&attempt, after: error) }
      }
      await writer.emptyLog()
      await noteSuccess(hasChanged: attempt.plan.action != .upToDate)
      let report = UpdateReport(
        plan: attempt.plan, from: attempt.from,
        seed: try requireCurrent().seed(at: currentState.version ?? attempt.plan.to),
        bytes: attempt.bytes, traffic: attempt.fetcher.context.traffic, changes: attempt.changes,
        lifecycle: attempt.metadata.state.lifecycle, duration: environment.uptime() - start,
        phases: phases.end())
      log.info("\(report)")
      phases.enter(.finished(report))
      return report
    } catch { throw current == nil ? withBundleError(error) : error }
  }

  func planUpdate(_ policy: UpdatePolicy?, _ phases: PhaseSender) async throws -> UpdateAttempt {
    phases.enter(.checking)
    try Task.checkCancellation()
    let generation = try await withBundle(over: beginWriting())
    guard var fetcher else { throw SeedError.readOnly(layout.directory) }
    fetcher.context = UpdateContext(
      policy: policy ?? (generation == nil ? UpdatePolicy() : .background), phases: phases)
    let metadata = try await writer.refresh(fetcher)
    note(metadata.state)
    let heldLog = await writer.heldLog()
    if let heldLog {
      log.error(
        "\(heldLog.path) has grown to \(ByteCount(bytes: heldLog.bytes)), because a reader holds a transaction open: end that transaction"
      )
    }
    let outdated = generation == nil ? try await writer.find(known: []).outdated : nil
    return try await UpdateAttempt(
      model, fetcher, metadata, local: (generation ?? outdated)?.reader.metaUnlessDamaged(),
      outdated: outdated, rejected: writer.rejected(), leavingLog: heldLog != nil)
  }

  private func carryOut(_ attempt: inout UpdateAttempt) async throws {
    let (plan, fetcher) = (attempt.plan, attempt.fetcher)
    guard plan.action != .upToDate else {
      // Removes downloads left behind by a killed process. They are harmless, so errors are ignored.
      _ = try? await fetcher.partial.keep([])
      return
    }
    try plan.check(fetcher.context.policy)
    try await fetcher.partial.makeRoom(
      for: plan.objects, in: layout.directory, freeBytes: environment.freeBytes)
    fetcher.context.phases.enter(.downloading(bytes: 0, totalBytes: plan.bytes))
    // Downloads all files before using any.
    var files: [FetchedObject] = []
    for object in plan.objects { files.append(try await Download(object, for: fetcher).run()) }
    guard plan.action == .replaced else { return try await apply(files, &attempt) }
    let name = try await writer.replace(by: files[0], files.dropFirst(), epoch: attempt.metadata.state.epoch)
    attempt.bytes += plan.bytes
    // Removes the files only now, so that the next update can reuse them if this one is cancelled.
    for file in files { file.discard() }
    try await openSwapped(name)
    attempt.changes = [:]
  }

  private func apply(_ deltas: [FetchedObject], _ attempt: inout UpdateAttempt) async throws {
    attempt.fetcher.context.phases.enter(.applying(deltas.map(\.object)))
    guard let generation = current else { return try await applyToOutdated(deltas, &attempt) }
    var failure: (any Error)?
    do {
      for run in attempt.runs(of: deltas) {
        let changes = try await writer.apply(run, to: generation)
        attempt.note(changes, by: run)
        for one in changes { changesSender.send(one) }
        currentState.version = changes.last?.version
      }
    } catch {
      failure = error
      // The deltas may have been committed before the error, so the version is read again.
      _ = try? await meta(of: generation)
    }
    // Announces all deltas together, even if a later one failed.
    if let version = currentState.version {
      await announce(generation, at: version, attempt.changes)
      await writer.notifyOthers()
    }
    if let failure { throw failure }
  }

  /// Applies deltas to data of an older minor. Opens it even if a delta fails: earlier ones may suffice.
  private func applyToOutdated(_ deltas: [FetchedObject], _ attempt: inout UpdateAttempt) async throws {
    guard let generation = attempt.outdated else { throw noCurrent }
    do {
      for run in attempt.runs(of: deltas) {
        let changes = try await writer.apply(run, to: generation)
        attempt.note(changes, by: run)
      }
    } catch {
      await writer.notifyOthers()
      if access == .open { _ = try? await adopt() }
      throw error
    }
    await writer.notifyOthers()
    // If the file is unreadable, the deltas are at fault. `openSwapped` could reject the snapshot, so it is not used.
    guard try await adopt()?.name == generation.name else { throw noCurrent }
  }

  /// Makes another plan after these failures, and rethrows all others:
  /// - If deltas do not fit the rows, or cannot be written while the app has no data, the new plan uses a snapshot.
  /// - If an object is missing or damaged, the new plan uses other objects of the newest metadata.
  private func planAgain(_ attempt: inout UpdateAttempt, after failure: any Error) async throws {
    try Task.checkCancellation()
    let isUnwritable = current == nil && (failure as? DatabaseError)?.saysFull == false
    if failure is DeltaMismatch || isUnwritable, attempt.plan.action == .applied {
      guard attempt.replaceDeltas(from: currentState.version) else { throw failure }
    } else if let unusable = failure as? UnusableObject, attempt.replans < UpdateAttempt.mostReplans {
      var metadata = attempt.metadata
      if attempt.replans == 0 {
        metadata = try await writer.refresh(attempt.fetcher)
        note(metadata.state)
      }
      let local = try await (current ?? attempt.outdated)?.reader.metaUnlessDamaged()
      guard attempt.avoid(unusable.object, metadata, from: local) else { throw failure }
    } else {
      throw failure
    }
  }

  // MARK: State

  private func note(_ series: SeriesState) {
    currentState.record.pollSeconds = series.pollSeconds
    currentState.record.newestVersion = series.head
    currentState.record.publishedAt = series.publishedAt
    currentState.record.lifecycle = series.lifecycle
    currentState.record.provenance = Provenance(series)
  }

  func noteSuccess(hasChanged: Bool) async {
    let now = environment.now()
    currentState.record.lastChecked = now
    (currentState.isOld, currentState.lastError) = (false, nil)
    if hasChanged { currentState.record.lastUpdated = now }
    await writer.keep(currentState.record)
  }
}
