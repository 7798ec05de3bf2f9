import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSystem
import SeedTrust

package struct CatalogView: Sendable {
  /// `nil` until a publication could be loaded.
  package fileprivate(set) var catalog: PublishedCatalog?
  /// Why the newest publication could not be loaded. The catalog is then an older one.
  package fileprivate(set) var failure: String?
  /// The publisher's unsigned information, possibly not for every series.
  package var facts: [SeedSeries: SeriesFacts]
  var mirrors: MirrorFacts?
  var publisher: PublisherFacts?
  var verification: VerificationFacts?
  var standing = CatalogStanding()
  /// `nil` if the publication is not a copy.
  var follow: FollowProgress?

  package init(
    _ catalog: PublishedCatalog?, failure: String? = nil, facts: [SeedSeries: SeriesFacts] = [:]
  ) {
    (self.catalog, self.failure, self.facts) = (catalog, failure, facts)
  }
}

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
  /// Held during loading, so an older catalog never replaces a newer one.
  private let loading = Mutex(())
  private let followed = Mutex(FollowedFacts())
  private let files = Mutex(FileLook())
  private let onChange = Mutex<@Sendable () -> Void>({})

  /// Loads the publication. Does not fail if it is missing or broken, because it may appear later.
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

  /// Reloads changed facts. They change more often than the catalog, and matter less.
  func lookAtFacts() {
    let series = current().catalog?.allSeries.map(\.series) ?? []
    let hasChanged = followed.withLock { followed in
      guard followed.look(at: directory.facts, of: series) else { return false }
      state.withLock { state in
        (state.view.facts, state.view.mirrors) = (followed.facts, followed.mirrors)
        (state.view.publisher, state.view.verification) = (followed.publisher, followed.verification)
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

  /// Checks the catalog's files and signatures, and warns the operator once per problem.
  func checkStanding(at now: UTCTime) {
    guard let catalog = current().catalog else { return }
    let standing = catalog.standing(at: now, files.withLock { $0.missing(of: catalog) }, progress?.current)
    let hasChanged = state.withLock { state in
      // A newer catalog has already been checked.
      guard state.view.catalog === catalog, state.view.standing != standing else { return false }
      state.view.standing = standing
      return true
    }
    if hasChanged { onChange.withLock(\.self)() }
    let view = current()
    for warning in catalog.signatures.filter({ $0.expires <= now }).warnings(at: now) {
      log(
        "\(warning); 'seedbank regenerate' renews those of online keys, 'seedbank keys renew ROLE' the others"
      )
    }
    for warning in view.missingFileWarnings + view.lateWarnings { log(warning) }
  }

  /// Loads a change at once, but retries failures after a delay.
  private func needsLoad(at now: ContinuousClock.Instant) -> Bool {
    let found = stamp
    return state.withLock { state in
      if found != state.stamp { return true }
      return (state.view.failure != nil || state.view.catalog == nil) && now >= state.nextRetry
    }
  }

  /// The stamps of `timestamp.json`, which every step writes last, and of the next root, which an operator may add.
  private var stamp: [FileStamp?] {
    [MetadataName.unversioned(Timestamp.type), current().catalog?.nextRoot].map { name in
      name.flatMap { try? FileStamp(directory.metadataFile($0)) }
    }
  }

  private func load() throws {
    // Taken before reading, so the next check notices a publication in between.
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
      state.withLock { state in
        (state.view.catalog, state.view.failure, state.view.standing) = (catalog, nil, standing)
        // Roots were read up to the first missing one.
        state.stamp[1] = nil
      }
      onChange.withLock(\.self)()
    } catch {
      let reason: any Error = directory.exists ? error : PublicationError.missing(path: directory.path)
      log("The publication could not be loaded: \(reason)")
      state.withLock { $0.view.failure = publicText(reason) }
      throw error
    }
  }

  /// Removes local paths and the last resort, because `/readyz` and the page are public.
  private func publicText(_ error: any Error) -> String {
    String(describing: error).replacing("\(directory.path)/", with: "")
      .replacing(directory.path, with: "its place").replacing(PublicationError.startingOver, with: "")
  }
}

/// Logs each problem once instead of once per request.
final class OperatorLog: Sendable {
  private static let messages = 64

  private let write: @Sendable (LogRecord) -> Void
  private let said = Mutex<Set<String>>([])

  init(_ write: @escaping @Sendable (LogRecord) -> Void) { self.write = write }

  func callAsFunction(_ message: String) {
    let isNew = said.withLock { $0.count < Self.messages && $0.insert(message).inserted }
    if isNew { write(LogRecord(.warning, message)) }
  }

  func reset() { said.withLock { $0.removeAll() } }
}

/// The facts of a publication's series, mirrors, publisher and verification. Rereads changed files only.
struct FollowedFacts {
  private(set) var facts: [SeedSeries: SeriesFacts] = [:]
  private(set) var mirrors: MirrorFacts?
  private(set) var publisher: PublisherFacts?
  private(set) var verification: VerificationFacts?
  /// Taken before reading.
  private var stamps: [SeedSeries: FileStamp] = [:]
  private var otherStamps: [FileStamp?] = [nil, nil, nil]

  /// Reads changed facts and drops removed ones. Returns whether there were any.
  mutating func look(at folder: FactsFolder, of series: [SeedSeries]) -> Bool {
    let others = [
      folder.stamp(MirrorFacts.self), folder.stamp(PublisherFacts.self), folder.stamp(VerificationFacts.self),
    ]
    let hasOthers = others != otherStamps
    if hasOthers {
      (mirrors, publisher, verification) = (folder.read(), folder.read(), folder.read())
      otherStamps = others
    }
    let found = series.reduce(into: [:]) { found, series in found[series] = folder.stamp(series) }
    guard found != stamps else { return hasOthers }
    for series in Set(stamps.keys).union(found.keys) where stamps[series] != found[series] {
      facts[series] = found[series] == nil ? nil : folder.read(series)
    }
    stamps = found
    return true
  }
}
