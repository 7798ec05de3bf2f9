import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  /// Compares what is on this device with what the app brought along, once; returns what to start with.
  ///
  /// A bundle that cannot be used takes nothing away: ``SeedState/bundleError`` says why, and what is there or a
  /// download stands in for it.
  func takingBundle(over found: Generation?) async throws -> Generation? {
    guard let layout = bundle, !hasLookedAtBundle else { return found }
    do {
      let chosen = try await chosen(of: writer.bundle(layout), found)
      (hasLookedAtBundle, state.bundleError) = (true, nil)
      return chosen
    } catch let error as CancellationError {
      throw error
    } catch let error as SeedError where error.code == .configuration {
      // Not the bundle's fault, and no download can stand in.
      throw error
    } catch {
      note(bundleError: SeedError(error), layout)
      return found
    }
  }

  /// Why there is no data, of which the failure to download it is only the second half.
  func withBundleError(_ error: any Error) -> any Error {
    let error = SeedError(error)
    guard let bundleError = state.bundleError, error.code != .cancelled else { return error }
    // Without a network the bundle is what counts; what a server says is more than what the app brought along.
    let isUnanswered = [.network, .waitingForNetwork, .timedOut].contains(error.code)
    return error.with(
      isUnanswered ? bundleError.code : error.code,
      "\(bundleError.message); nor can it be downloaded: \(error.message)")
  }

  private func chosen(of bundle: BundledSeed, _ found: Generation?) async throws -> Generation? {
    guard try await choice(bundle, found) == .bundled else { return found }
    // Until the lock was taken another store may have changed everything.
    let held = try await beginWriting()
    guard try await choice(bundle, held) == .bundled else { return held }
    return try await install(bundle)
  }

  private func choice(_ bundle: BundledSeed, _ found: Generation?) async throws -> BundleChoice {
    let meta = try? await found?.reader.meta()
    let series = bundle.metadata.state
    let offer = BundleChoice.Offer(
      epoch: series.epoch, version: bundle.snapshot.version, model: bundle.snapshot.model,
      models: series.models, isNewerThanTrusted: try await writer.isNews(bundle),
      hasFailed: try await writer.hasFailed(bundle.snapshot))
    return BundleChoice.make(offer, stored: meta.map { ($0.epoch, $0.version) }, model)
  }

  /// Staged, then one durable write: killed at any point, the next start finds the old data and begins anew.
  private func install(_ bundle: BundledSeed) async throws -> Generation? {
    let plan = DiskPlan([bundle.snapshot], held: bundle.snapshot.length)
    try await fetcher.partial.check(plan, in: layout.directory, surroundings)
    do {
      try await writer.stage(bundle)
    } catch {
      await writer.discardStaged()
      throw error
    }
    await writer.trust(bundle)
    guard let name = try await writer.swap() else { return nil }
    let generation = try await openSwapped(name)
    state.publishedAt = (bundle.snapshot.publishedAt ?? bundle.metadata.state.publishedAt).date
    await keepState()
    return generation
  }

  /// A disk that is full or a store that another one writes to may be otherwise at the next attempt.
  private func note(bundleError error: SeedError, _ layout: BundleLayout) {
    let isOurs = ![.io, .insufficientSpace, .storeLocked].contains(error.code)
    hasLookedAtBundle = isOurs
    let place = "the seed in \(layout.directory) cannot be used: \(error.message)"
    state.bundleError =
      isOurs ? SeedError(.bundle, "\(place); make it anew by `seedbank pull --bundle`") : error
  }
}
