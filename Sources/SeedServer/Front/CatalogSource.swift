import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// What a request is answered from.
package struct CatalogView: Sendable {
  /// `nil` as long as there is no publication that can be read.
  package let catalog: PublishedCatalog?
  /// Why the newest publication could not be loaded, where it could not; the catalog is then an older one.
  package let failure: String?

  /// A view of one catalog, or of none.
  package init(_ catalog: PublishedCatalog?, failure: String? = nil) {
    self.catalog = catalog
    self.failure = failure
  }
}

/// Holds the current catalog, and replaces it when something was published.
package final class CatalogSource: Sendable {
  private struct State {
    var catalog: PublishedCatalog?
    var failure: String?
    /// The files when a catalog was last loaded, or was to be.
    var stamp = PublicationStamp()
    var nextLook: ContinuousClock.Instant
    var nextRetry: ContinuousClock.Instant
  }

  private let directory: PublicationDirectory
  private let log: OperatorLog
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>
  /// Held while a catalog is loaded, so that an older one never replaces a newer one.
  private let loading = Mutex(())
  private let onChange = Mutex<@Sendable () -> Void>({})

  /// Loads what there is. A publication that is missing or broken is not this caller's error: it may come.
  package convenience init(
    _ directory: PublicationDirectory,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.init(directory, log: OperatorLog { _ in }, now: now)
  }

  init(
    _ directory: PublicationDirectory, log: OperatorLog,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.directory = directory
    self.log = log
    self.now = now
    state = Mutex(State(nextLook: now(), nextRetry: now()))
    check()
  }

  /// What to answer from now on; looks now and then whether another process published.
  package func current() -> CatalogView {
    check()
    return state.withLock { CatalogView($0.catalog, failure: $0.failure) }
  }

  /// Calls that after each change of the catalog, and once at once.
  func whenChanged(_ body: @escaping @Sendable () -> Void) {
    onChange.withLock { $0 = body }
    body()
  }

  /// Loads what is published now. On an error the old catalog stays, and the error is remembered.
  package func reload() throws { try loading.withLock { _ in try load() } }

  /// Whether data of that dataset is published for that model, as it stands now.
  func publishes(_ dataset: String, _ model: String) -> Bool {
    guard let catalog = state.withLock({ $0.catalog }), let name = try? DatasetName(dataset),
      let model = try? ModelVersion(model)
    else { return false }
    return catalog.series(name, major: model.major)?.state.models[model] != nil
  }

  /// Tells the operator, once, that clients refuse what is published: a front that only serves can do no more.
  func checkExpiry(at now: UTCTime) {
    let signatures = state.withLock { $0.catalog }?.signatures ?? []
    for warning in signatures.filter({ $0.expires <= now }).warnings(at: now) {
      log("\(warning); 'seedbank keys status' says how to renew them")
    }
  }

  /// Looks whether another process published, if the last look is some time ago.
  func check() {
    guard isDue() else { return }
    // While someone loads, the others go on with what there is.
    _ = loading.withLockIfAvailable { _ in if needsLoad(at: now()) { try? load() } }
  }

  private func isDue() -> Bool {
    let now = now()
    return state.withLock { state in
      guard now >= state.nextLook else { return false }
      state.nextLook = now.advanced(by: .milliseconds(FrontLimits.lookMilliseconds))
      return true
    }
  }

  /// Something new is loaded at once; what could not be loaded is tried again after a while.
  private func needsLoad(at now: ContinuousClock.Instant) -> Bool {
    let found = stamp
    return state.withLock { state in
      if found != state.stamp { return true }
      return (state.failure != nil || state.catalog == nil) && now >= state.nextRetry
    }
  }

  private var stamp: PublicationStamp {
    PublicationStamp(of: directory, rootVersion: state.withLock { $0.catalog?.rootVersion })
  }

  private func load() throws {
    // Taken before the files are read: what is published meanwhile makes the next look find a difference.
    let stamp = stamp
    let previous = state.withLock { state in
      state.stamp = stamp
      state.nextRetry = now().advanced(by: .seconds(FrontLimits.retrySeconds))
      return state.catalog
    }
    do {
      let catalog = try PublishedCatalog(loading: directory, after: previous, at: now())
      log.reset()
      state.withLock { state in
        (state.catalog, state.failure) = (catalog, nil)
        // Roots were read up to the first that is missing.
        state.stamp.nextRoot = nil
      }
      onChange.withLock { $0 }()
    } catch {
      log("The publication could not be loaded: \(error)")
      // What the world may read in /readyz does not say where on this machine the files lie.
      let failure = String(describing: error).replacing(directory.path, with: "<publication>")
      state.withLock { $0.failure = failure }
      throw error
    }
  }
}
