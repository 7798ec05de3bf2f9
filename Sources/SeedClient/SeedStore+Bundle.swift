import SeedDatabase
import SeedTrust

extension SeedStore {
  /// The errors of an update that reached no publication, for example because the server was busy or a network's
  /// sign-in page answered instead.
  private static let unanswered: Set<SeedError.Code> = [
    .network, .waitingForNetwork, .timedOut, .server, .serverBusy, .accessDenied,
  ]

  /// At the first call, compares the store's data with the app's bundle. Returns the generation to start with. An
  /// unusable bundle only sets ``SeedState/bundleError``.
  func withBundle(over found: Generation?) async throws -> Generation? {
    guard let folder = bundle, !hasCheckedBundle else { return found }
    do {
      let chosen = try await choose(writer.bundle(folder), over: found)
      (hasCheckedBundle, currentState.bundleError) = (true, nil)
      return chosen
    } catch {
      // SQLite reports a cancellation as an interrupted statement.
      try Task.checkCancellation()
      let failure = SeedError(error)
      // A wrong configuration is not the bundle's fault, and a download would not help.
      guard failure.code != .configuration else { throw failure }
      note(bundleError: failure, folder)
      return found
    }
  }

  /// Combines a download's error with the bundle's, because only an unusable bundle made the download necessary.
  func withBundleError(_ error: any Error) -> any Error {
    var error = SeedError(error)
    guard let bundleError = currentState.bundleError, error.code != .cancelled else { return error }
    // If the publication answered, its error is more specific than the bundle's.
    let isUnanswered = Self.unanswered.contains(error.code)
    if isUnanswered { error.code = bundleError.code }
    error.message = "\(bundleError.message); downloading the data failed too: \(error.message)"
    return error
  }

  private func choose(_ bundle: BundledSeed, over found: Generation?) async throws -> Generation? {
    guard try await isBetter(bundle, than: found) else { return found }
    // Another store may have changed the data before this one got the lock.
    let generation = try await beginWriting()
    guard try await isBetter(bundle, than: generation) else { return generation }
    let installed = try await openSwapped(writer.install(bundle, freeBytes: environment.freeBytes))
    currentState.record.publishedAt = bundle.snapshot.publishedAt ?? bundle.metadata.state.publishedAt
    currentState.record.provenance = Provenance(bundle.metadata.state)
    await writer.keep(currentState.record)
    return installed
  }

  private func isBetter(_ bundle: BundledSeed, than generation: Generation?) async throws -> Bool {
    try await writer.prefers(bundle, over: generation?.reader.metaUnlessDamaged())
  }

  private func note(bundleError error: SeedError, _ folder: BundleFolder) {
    // If the disk is full or the store is locked, a later attempt may succeed.
    let isOfBundle = ![.io, .insufficientSpace, .storeLocked].contains(error.code)
    hasCheckedBundle = isOfBundle
    let place = "the seed in \(folder.directory) cannot be used: \(error.message)"
    currentState.bundleError =
      isOfBundle ? SeedError(.bundle, "\(place); recreate it with `seedbank pull --bundle`") : error
    log.error("\(currentState.bundleError ?? error)")
  }
}
