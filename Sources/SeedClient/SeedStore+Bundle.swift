extension SeedStore {
  /// What is said where no publication answers: also a network's page for signing in, and a server that is busy.
  private static let unanswered: Set<SeedError.Code> = [
    .network, .waitingForNetwork, .timedOut, .server, .serverBusy, .accessDenied,
  ]

  /// Compares the store's data with the app's bundle, once; returns the generation to start with. A bundle that cannot
  /// be used does no harm: ``SeedState/bundleError`` says why, and the store goes on without it.
  func withBundle(over found: Generation?) async throws -> Generation? {
    guard let folder = bundle, !hasCheckedBundle else { return found }
    do {
      let chosen = try await choose(writer.bundle(folder), over: found)
      (hasCheckedBundle, state.bundleError) = (true, nil)
      return chosen
    } catch let error as CancellationError {
      throw error
    } catch let error as SeedError where error.code == .configuration {
      // Not the bundle's fault, and no download helps.
      throw error
    } catch {
      note(bundleError: SeedError(error), folder)
      return found
    }
  }

  /// Explains why there is no data: that it cannot be downloaded is only the second half.
  func withBundleError(_ error: any Error) -> any Error {
    var error = SeedError(error)
    guard let bundleError = state.bundleError, error.code != .cancelled else { return error }
    // The bundle's error counts, unless the publication itself has answered: that says more.
    let isUnanswered = Self.unanswered.contains(error.code)
    if isUnanswered { error.code = bundleError.code }
    error.message = "\(bundleError.message); downloading it failed too: \(error.message)"
    return error
  }

  private func choose(_ bundle: BundledSeed, over found: Generation?) async throws -> Generation? {
    guard try await isBetter(bundle, than: found) else { return found }
    // Until the lock was taken another store may have changed everything.
    let generation = try await beginWriting()
    guard try await isBetter(bundle, than: generation) else { return generation }
    let installed = try await openSwapped(writer.install(bundle, freeBytes: environment.freeBytes))
    state.record.publishedAt = bundle.snapshot.publishedAt ?? bundle.metadata.state.publishedAt
    await keepState()
    return installed
  }

  private func isBetter(_ bundle: BundledSeed, than generation: Generation?) async throws -> Bool {
    try await writer.prefers(bundle, over: try? generation?.reader.meta())
  }

  private func note(bundleError error: SeedError, _ folder: BundleFolder) {
    // A disk that is full or a store that another one writes to may be otherwise at the next attempt.
    let isOfBundle = ![.io, .insufficientSpace, .storeLocked].contains(error.code)
    hasCheckedBundle = isOfBundle
    let place = "the seed in \(folder.directory) cannot be used: \(error.message)"
    state.bundleError =
      isOfBundle ? SeedError(.bundle, "\(place); make it anew by `seedbank pull --bundle`") : error
    log.error("\(state.bundleError ?? error)")
  }
}
