import SeedDatabase
package import SeedFormat
import SeedSystem
import SeedTrust

/// The state that one request is answered from.
package struct CatalogView: Sendable {
  /// `nil` as long as there is no readable publication.
  package let catalog: PublishedCatalog?
  /// The reason why the newest publication could not be loaded, where it could not; the catalog is then an older one.
  package fileprivate(set) var failure: String?
  /// What the publisher tells of the series beside what it signs; of each it may be missing.
  package var facts: [Series: SeriesFacts]
  /// How the publisher's mirrors stand; `nil` where it has none, or does not tell.
  var mirrors: MirrorFacts?
  /// How the publisher's machine stands; `nil` where it does not tell.
  var publisher: PublisherFacts?
  var standing = CatalogStanding()
  /// What is known of the publication that this one follows; `nil` where it follows none.
  var follow: FollowProgress?

  package init(
    _ catalog: PublishedCatalog?, failure: String? = nil, facts: [Series: SeriesFacts] = [:]
  ) {
    (self.catalog, self.failure, self.facts) = (catalog, failure, facts)
  }
}

/// Holds the current catalog, and replaces it when something was published.
package final class CatalogSource: Sendable {
  private struct State {
    var view = CatalogView(nil)
    var stamp: [FileStamp?] = []
    var nextRetry: ContinuousClock.Instant
  }

  private let directory: PublicationDirectory
  private let progress: FollowProgress?
  private let log: OperatorLog
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>
  /// Held while a catalog is loaded, so that an older one never replaces a newer one.
  private let loading = Mutex(())
  private let followed = Mutex(FollowedFacts())
  private let files = Mutex(FileLook())
  private let onChange = Mutex<@Sendable () -> Void>({})

  /// Loads the publication. A missing or broken one is no error here: it may come.
  init(
    _ directory: PublicationDirectory, following progress: FollowProgress? = nil,
    log: OperatorLog = OperatorLog { _ in },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    (self.directory, self.progress, self.log, self.now) = (directory, progress, log, now)
    state = Mutex(State(nextRetry: now()))
    look()
    lookAtFacts()
  }

  func current() -> CatalogView {
    var view = state.withLock(\.view)
    view.follow = progress
    return view
  }

  func whenChanged(_ body: @escaping @Sendable () -> Void) {
    onChange.withLock { $0 = body }
    body()
  }

  func reload() throws {
    try loading.withLock { _ in try load() }
    lookAtFacts()
  }

  func look() {
    _ = loading.withLockIfAvailable { _ in if needsLoad(at: now()) { try? load() } }
  }

  /// Reads the facts that changed. They change more often than what is published, and matter less.
  func lookAtFacts() {
    let series = current().catalog?.allSeries.map(\.series) ?? []
    let hasChanged = followed.withLock { followed in
      guard followed.look(at: directory.facts, of: series) else { return false }
      state.withLock { state in
        (state.view.facts, state.view.mirrors) = (followed.facts, followed.mirrors)
        state.view.publisher = followed.publisher
      }
      return true
    }
    if hasChanged { onChange.withLock(\.self)() }
  }

  func publishes(_ dataset: String, _ model: String) -> Bool {
    guard let catalog = current().catalog, let name = try? DatasetName(dataset),
      let model = try? ModelVersion(model)
    else { return false }
    return catalog.series(name, major: model.major)?.state.models[model] != nil
  }

  /// Looks what became of the catalog's files and signatures, and warns the operator once of what is wrong with them.
  func checkStanding(at now: UTCTime) {
    guard let catalog = current().catalog else { return }
    let standing = catalog.standing(at: now, files.withLock { $0.missing(of: catalog) }, progress?.current)
    let view = state.withLock { state -> (CatalogView, hasChanged: Bool) in
      // What was loaded meanwhile has been looked at by whoever loaded it.
      guard state.view.catalog === catalog, state.view.standing != standing else {
        return (state.view, false)
      }
      state.view.standing = standing
      return (state.view, true)
    }
    if view.hasChanged { onChange.withLock(\.self)() }
    for warning in catalog.signatures.filter({ $0.expires <= now }).warnings(at: now) {
      log("\(warning); 'seedbank keys status' says how to renew them")
    }
    view.0.missingFileWarnings.forEach { log($0) }
    view.0.lateWarnings.forEach { log($0) }
    log.follow(.late, isOn: standing.lateSince != nil)
    log.follow(.signaturesExpired, isOn: !standing.expired.isEmpty)
    log.follow(.filesMissing, isOn: !standing.missing.isEmpty)
  }

  /// A change is loaded at once; a failed attempt is repeated after a while.
  private func needsLoad(at now: ContinuousClock.Instant) -> Bool {
    let found = stamp
    return state.withLock { state in
      if found != state.stamp { return true }
      return (state.view.failure != nil || state.view.catalog == nil) && now >= state.nextRetry
    }
  }

  /// The files that show a look that something was published: `timestamp.json`, which each step writes last, and the
  /// root after the newest one that was read, which an operator may put beside a running front.
  private var stamp: [FileStamp?] {
    [MetadataName.unversioned(Timestamp.type), current().catalog?.nextRoot].map { name in
      name.flatMap { try? FileStamp(directory.metadataFile($0)) }
    }
  }

  private func load() throws {
    // Taken before the files are read: if something is published meanwhile, the next look finds a difference.
    let stamp = stamp
    let previous = state.withLock { state in
      state.stamp = stamp
      state.nextRetry = now().advanced(by: .seconds(FrontLimits.retrySeconds))
      return state.view.catalog
    }
    do {
      let catalog = try PublishedCatalog(loading: directory, after: previous, at: now())
      let standing = catalog.standing(
        at: .now(), files.withLock { $0.missing(of: catalog) }, progress?.current)
      log.reset()
      log.follow(.unreadable, isOn: false)
      state.withLock { state in
        var view = CatalogView(catalog, facts: state.view.facts)
        (view.mirrors, view.publisher) = (state.view.mirrors, state.view.publisher)
        view.standing = standing
        state.view = view
        // Roots were read up to the first that is missing.
        state.stamp[1] = nil
      }
      onChange.withLock(\.self)()
    } catch {
      let reason: any Error = directory.exists ? error : PublicationError.missing(path: directory.path)
      log("The publication could not be loaded: \(reason)")
      log.follow(.unreadable, isOn: true)
      state.withLock { $0.view.failure = hidingPlace(reason) }
      throw error
    }
  }

  /// `/readyz` and the page are public: they do not tell where the files lie on this machine.
  private func hidingPlace(_ error: any Error) -> String {
    String(describing: error).replacing("\(directory.path)/", with: "").replacing(
      directory.path, with: "its place")
  }
}
