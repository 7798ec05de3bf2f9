import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The state that one request is answered from.
package struct CatalogView: Sendable {
  /// `nil` as long as there is no readable publication.
  package let catalog: PublishedCatalog?
  /// The reason why the newest publication could not be loaded, where it could not; the catalog is then an older one.
  package let failure: String?

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
    /// The files at the last attempt to load.
    var stamp = PublicationStamp()
    var nextRetry: ContinuousClock.Instant
  }

  private let directory: PublicationDirectory
  private let log: OperatorLog
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>
  /// Held while a catalog is loaded, so that an older one never replaces a newer one.
  private let loading = Mutex(())
  private let onChange = Mutex<@Sendable () -> Void>({})

  /// Loads the publication. A missing or broken one is no error here: it may come.
  init(
    _ directory: PublicationDirectory, log: OperatorLog = OperatorLog { _ in },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.directory = directory
    self.log = log
    self.now = now
    state = Mutex(State(nextRetry: now()))
    look()
  }

  /// The catalog of the last look.
  func current() -> CatalogView { state.withLock { CatalogView($0.catalog, failure: $0.failure) } }

  /// Calls `body` now, and after each change of the catalog.
  func whenChanged(_ body: @escaping @Sendable () -> Void) {
    onChange.withLock { $0 = body }
    body()
  }

  /// Loads the publication of this moment. On an error the old catalog stays, and the error is remembered.
  func reload() throws { try loading.withLock { _ in try load() } }

  /// Loads the publication if another process changed it since the last look.
  func look() {
    _ = loading.withLockIfAvailable { _ in if needsLoad(at: now()) { try? load() } }
  }

  /// Whether the dataset has data for the model.
  func publishes(_ dataset: String, _ model: String) -> Bool {
    guard let catalog = current().catalog, let name = try? DatasetName(dataset),
      let model = try? ModelVersion(model)
    else { return false }
    return catalog.series(name, major: model.major)?.state.models[model] != nil
  }

  /// Warns the operator, once, of expired signatures: a front that only serves can do no more.
  func checkExpiry(at now: UTCTime) {
    let signatures = current().catalog?.signatures ?? []
    for warning in signatures.filter({ $0.expires <= now }).warnings(at: now) {
      log("\(warning); 'seedbank keys status' says how to renew them")
    }
  }

  /// A change is loaded at once; a failed attempt is repeated after a while.
  private func needsLoad(at now: ContinuousClock.Instant) -> Bool {
    let found = stamp
    return state.withLock { state in
      if found != state.stamp { return true }
      return (state.failure != nil || state.catalog == nil) && now >= state.nextRetry
    }
  }

  private var stamp: PublicationStamp {
    PublicationStamp(of: directory, rootVersion: current().catalog?.rootVersion)
  }

  private func load() throws {
    // Taken before the files are read: if something is published meanwhile, the next look finds a difference.
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
      onChange.withLock(\.self)()
    } catch {
      log("The publication could not be loaded: \(error)")
      // /readyz is public: it does not tell where the files lie on this machine.
      let failure = String(describing: error).replacing(directory.path, with: "<publication>")
      state.withLock { $0.failure = failure }
      throw error
    }
  }
}

/// The files that show a look that something was published: two calls of `stat`.
private struct PublicationStamp: Hashable, Sendable {
  /// `timestamp.json`, which each publication step writes last.
  var timestamp: FileStamp?
  /// The root after the newest one that was read: an operator may put one beside a running front.
  var nextRoot: FileStamp?

  init() {}

  init(of directory: PublicationDirectory, rootVersion: Int?) {
    let folder = "\(directory.path)/metadata"
    timestamp = try? FileStamp("\(folder)/\(MetadataName.unversioned(Timestamp.type))")
    if let rootVersion {
      nextRoot = try? FileStamp("\(folder)/\(MetadataName.versioned(Root.type, rootVersion + 1))")
    }
  }
}
