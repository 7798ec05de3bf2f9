import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSystem
import SeedTrust

package struct CatalogView: Sendable {
  /// `nil` until a publication has been loaded.
  package fileprivate(set) var catalog: PublishedCatalog?
  /// Why the newest publication could not be loaded. If set, the catalog is an older one.
  package fileprivate(set) var failure: String?
  /// The publisher's unsigned information, possibly not for every series.
  package var facts: [SeedSeries: SeriesFacts]
  var mirrors: MirrorFacts?
  var publisher: PublisherFacts?
  var verification: VerificationFacts?
  var standing = CatalogStanding()
  /// `nil` if the publication is not a copy.
  var follow: FollowProgress?

  package init(_ catalog: PublishedCatalog?, failure: String? = nil, facts: [SeedSeries: SeriesFacts] = [:]) {
    (self.catalog, self.failure, self.facts) = (catalog, failure, facts)
  }
}

package final class CatalogSource: Sendable {
  private struct State {
    var view: CatalogView
    var stamp: [FileStamp?] = []
    var nextRetry: ContinuousClock.Instant
    /// The lines logged during the current failure. There are several if the failure's reason has changed.
    var lines: [String] = []
    /// The warnings of the last check of files and signatures.
    var warnings: Set<String> = []
  }

  private let directory: PublicationDirectory
  private let progress: FollowProgress?
  private let objectGraceSeconds: Int
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
    objectGraceSeconds: Int = FrontLimits.usualObjectGraceSeconds, log: OperatorLog = OperatorLog { _ in },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    (self.directory, self.progress, self.log, self.now) = (directory, progress, log, now)
    self.objectGraceSeconds = objectGraceSeconds
    var view = CatalogView(nil)
    view.follow = progress
    state = Mutex(State(view: view, nextRetry: now()))
    look()
    lookAtFacts()
  }

  func current() -> CatalogView { state.withLock(\.view) }

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

  /// Reloads changed facts. Called less often than ``look()``, because facts matter less than the catalog.
  func lookAtFacts() {
    let series = current().catalog?.allSeries.map(\.series) ?? []
    let hasChanged = followed.withLock { followed in
      guard followed.look(at: directory.facts, of: series) else { return false }
      state.withLock { state in
        (state.view.facts, state.view.mirrors) = (followed.facts, followed.mirrors.content)
        state.view.publisher = followed.publisher.content
        state.view.verification = followed.verification.content
      }
      return true
    }
    if hasChanged { onChange.withLock(\.self)() }
  }

  func publishes(_ dataset: String, _ model: String) -> Bool {
    guard let catalog = state.withLock(\.view.catalog), let name = try? DatasetName(dataset),
      let model = try? ModelVersion(model)
    else { return false }
    return catalog.series(name, major: model.major)?.state.models[model] != nil
  }

  /// Checks the catalog's files and signatures. Warns of a problem once a day, and again if the problem returns.
  func checkStanding(at now: UTCTime) {
    guard let catalog = current().catalog else { return }
    let standing = catalog.standing(at: now, files.withLock { $0.missing(of: catalog) }, progress?.current)
    let hasChanged = state.withLock { state in
      // A newer catalog was checked when it was loaded.
      guard state.view.catalog === catalog, state.view.standing != standing else { return false }
      state.view.standing = standing
      return true
    }
    if hasChanged { onChange.withLock(\.self)() }
    let view = current()
    let expired = catalog.signatures.filter { $0.expires <= now }.warnings(at: now).map {
      "\($0); 'seedbank regenerate' renews the signatures of online keys, 'seedbank keys renew ROLE' all others"
    }
    warn(expired + view.missingFileWarnings + view.lateWarnings)
  }

  private func warn(_ warnings: [String]) {
    let ended = state.withLock { state in
      defer { state.warnings = Set(warnings) }
      return state.warnings.subtracting(warnings)
    }
    ended.forEach(log.forget)
    for warning in warnings { log(warning) }
  }

  /// Returns whether to load now: at once after a change, but only after a delay if the last load failed.
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
    // Taken before reading, so that the next check notices changes made during the reading.
    let stamp = stamp
    let previous = state.withLock { state in
      state.stamp = stamp
      state.nextRetry = now().advanced(by: .seconds(FrontLimits.retrySeconds))
      return state.view.catalog
    }
    do {
      let catalog = try PublishedCatalog(
        loading: directory, after: previous, at: now(), objectGraceSeconds: objectGraceSeconds)
      let standing = catalog.standing(
        at: .now(), files.withLock { $0.missing(of: catalog) }, progress?.current)
      let ended = state.withLock { state in
        defer { state.lines = [] }
        (state.view.catalog, state.view.failure, state.view.standing) = (catalog, nil, standing)
        // The next root was missing when the catalog was loaded.
        state.stamp[1] = nil
        return state.lines
      }
      ended.forEach(log.forget)
      onChange.withLock(\.self)()
    } catch {
      let isGone = !directory.exists
      let reason: any Error = isGone ? absence : error
      let line = "The publication could not be loaded: \(reason)"
      // Not logged for a new follower, which has no copy yet and logs its first check.
      let isExpected = isGone && previous == nil && progress != nil
      let isNew = !isExpected && log(line)
      state.withLock { state in
        state.view.failure = publicText(reason)
        if isNew { state.lines.append(line) }
      }
      throw error
    }
  }

  private var absence: PublicationError {
    progress == nil ? .missing(path: directory.path) : .missingCopy(path: directory.path)
  }

  /// Removes local paths and the remedy of last resort, because `/readyz` and the page are public.
  private func publicText(_ error: any Error) -> String {
    String(describing: error).replacing("\(directory.path)/", with: "")
      .replacing(directory.path, with: "its place").replacing(PublicationError.startingOver, with: "")
  }
}

/// Logs each problem once a day instead of once per request.
final class OperatorLog: Sendable {
  /// The maximum number of problems logged in a day. Each lost file is a problem, so there may be many.
  private static let mostMessages = 256

  private let write: @Sendable (LogRecord) -> Void
  private let now: @Sendable () -> UTCTime
  private let said = RepeatedWarnings(upTo: mostMessages)

  init(
    now: @escaping @Sendable () -> UTCTime = { .now() }, _ write: @escaping @Sendable (LogRecord) -> Void
  ) {
    (self.now, self.write) = (now, write)
  }

  /// Logs the message unless it was logged within a day. Returns whether it logged it.
  @discardableResult func callAsFunction(_ message: String) -> Bool {
    guard said.isDue(message, now: now()) else { return false }
    write(LogRecord(.warning, message))
    return true
  }

  /// Call this when a problem has ended, so that the problem is logged again if it returns.
  func forget(_ message: String) { said.forget(message) }
}

struct FollowedFacts {
  private var ofSeries: [SeedSeries: FollowedFile<SeriesFacts>] = [:]
  private(set) var mirrors = FollowedFile<MirrorFacts>()
  private(set) var publisher = FollowedFile<PublisherFacts>()
  private(set) var verification = FollowedFile<VerificationFacts>()

  var facts: [SeedSeries: SeriesFacts] { ofSeries.compactMapValues(\.content) }

  /// Reads changed facts and drops removed ones. Returns whether any facts were changed or removed.
  mutating func look(at folder: FactsFolder, of series: [SeedSeries]) -> Bool {
    var changes = [mirrors.look(in: folder), publisher.look(in: folder), verification.look(in: folder)]
    for series in Set(ofSeries.keys).subtracting(series) {
      changes.append(ofSeries.removeValue(forKey: series)?.content != nil)
    }
    for series in series {
      let hasChanged = ofSeries[series, default: FollowedFile()].look(folder.stamp(series)) {
        () throws(FileError) in try folder.content(of: series)
      }
      changes.append(hasChanged)
    }
    return changes.contains(true)
  }
}

/// A file's content, which is read again only if the file has changed or the last attempt failed.
struct FollowedFile<Content> {
  /// `nil` if the file is missing, unreadable or damaged.
  private(set) var content: Content?
  /// The stamp of the file that was read, taken before reading.
  private var stamp: FileStamp?

  /// Returns whether the content may have changed.
  mutating func look(_ found: FileStamp?, _ read: () throws(FileError) -> Content?) -> Bool {
    guard found != stamp else { return false }
    do throws(FileError) {
      content = found == nil ? nil : try read()
      stamp = found
    } catch { (content, stamp) = (nil, nil) }
    return true
  }
}

extension FollowedFile where Content: CommonFacts {
  fileprivate mutating func look(in folder: FactsFolder) -> Bool {
    look(folder.stamp(Content.self)) { () throws(FileError) in try folder.content(Content.self) }
  }
}
