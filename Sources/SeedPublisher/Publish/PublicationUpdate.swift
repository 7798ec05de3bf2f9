import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust

/// Signs and writes changed metadata under the publication's lock, and holds the resulting metadata.
struct PublicationUpdate {
  private let publisher: Publisher
  private let lifetimeSeconds: Int
  private let now: UTCTime
  private let options: StepOptions
  private let clock: ClockVerdict
  private(set) var published: PublishedMetadata
  private(set) var warnings: [String] = []
  /// New series that cannot be delegated yet. Other series are published without them.
  private(set) var waiting: Set<SeedSeries> = []
  private var change = OfflineChange.none

  /// Short-lived signatures are renewed often enough that one late step does no harm.
  private static let renewalsPerLifetime = 4

  init(
    _ publisher: Publisher, lifetimeSeconds: Int, now: UTCTime, after published: PublishedMetadata,
    _ options: StepOptions = StepOptions()
  ) throws {
    (self.publisher, self.now, self.published, self.options) = (publisher, now, published, options)
    let longest = max(lifetimeSeconds, publisher.lifetimes.values.max() ?? 0)
    // A preview signs nothing and must not store a doubt about the clock.
    clock =
      try options.isPreview
      ? .agrees
      : ClockVerdict(
        of: published, in: publisher.stateFolder, lifetimeSeconds: longest, now: now,
        isAssured: options.isClockAssured)
    // Signatures of all datasets are shortened together.
    self.lifetimeSeconds = clock == .trusted ? longest : lifetimeSeconds
  }

  func metadata(_ series: SeedSeries) -> SeriesMetadata? { published.series[series]?.metadata }

  func date(after earlier: UTCTime?) -> UTCTime {
    clock == .trusted ? now : max(now, earlier ?? .distantPast)
  }

  var signer: RepositorySigner { signer(trustsClock: clock == .trusted) }

  /// The signer for a command. Unless the clock is doubted, it may shorten signatures: the operator sees the new dates.
  var attendedSigner: RepositorySigner {
    if case .doubted = clock { signer } else { signer(trustsClock: true) }
  }

  /// A new epoch needs versions above those that clients have seen, of which the highest is unknown.
  private func signer(trustsClock: Bool, leastVersion: Int? = nil) -> RepositorySigner {
    RepositorySigner(
      now: now, lifetime: lifetimeSeconds, seriesLifetimes: publisher.lifetimes,
      leastVersion: leastVersion ?? (options.isBeginningEpoch ? Publisher.versionAfterLoss(now) : 1),
      trustsClock: trustsClock, lostSeries: options.lostSeries)
  }

  mutating func signAll() throws {
    let least = max(Publisher.versionAfterLoss(now), published.timestamp.version + Publisher.lostVersions)
    try publish(allSeries, adopting: OfflineChange.none, by: signer(trustsClock: false, leastVersion: least))
  }

  /// A trusted clock also corrects the date of an idle series. Otherwise each later step would trust the clock again.
  private var allSeries: [SeriesMetadata] {
    published.series.values.map(\.metadata).sorted { $0.series < $1.series }.map { metadata in
      var corrected = metadata
      if clock == .trusted { corrected.state.publishedAt = min(metadata.state.publishedAt, now) }
      return corrected
    }
  }

  /// Returns the job's new series. Warns if they cannot be delegated, or throws if all are new or an epoch begins.
  mutating func findNewSeries(of job: DatasetJob) throws -> [SeedSeries] {
    let known = published.delegatedSeries
    let new = job.updatedSeries.filter { !known.contains($0) }
    guard let obstacle = try obstacle(to: new) else { return new }
    guard !options.isBeginningEpoch, new.count < job.plans.count else { throw obstacle }
    waiting = Set(new)
    warnings.append("\(obstacle)")
    return []
  }

  private func obstacle(to new: [SeedSeries]) throws -> PublicationError? {
    guard !new.isEmpty || options.isBeginningEpoch else { return nil }
    guard publisher.keys.canSign(for: published.root.roles[Targets.type]) else {
      return options.isBeginningEpoch
        ? .epochWithoutTargetsKey : .notDelegated(series: new.map(\.description).joined(separator: ", "))
    }
    return try publisher.pendingChange().targets == nil ? nil : .changeWaits
  }

  /// Delegates to the job's new series. Clients see the delegation together with the series' first metadata.
  mutating func delegateNewSeries(of job: DatasetJob) throws {
    let new = try findNewSeries(of: job)
    guard !new.isEmpty || options.isBeginningEpoch else { return }
    change = try OfflineChange(
      targets: signer.targets(
        delegating: published.delegatedSeries + new, to: publisher.seriesVerifiers(published),
        after: published))
    change.sign(with: publisher.keys, after: published)
  }

  /// Signs and writes metadata. Also publishes the `given` change, or the delegations to new series if there is none.
  mutating func publish(
    _ changed: [SeriesMetadata], adopting given: OfflineChange? = nil, by signer: RepositorySigner? = nil
  ) throws {
    guard given != nil || !changed.isEmpty else { return }
    let others = options.isBeginningEpoch ? allSeries : []
    let resigned = others.filter { other in !changed.contains { $0.series == other.series } }
    let step = try (signer ?? self.signer).publish(
      changed + resigned, adopting: given ?? change, after: published, keys: publisher.keys)
    try publisher.publication.write(step.files)
    published = step.published
    if given == nil { change = .none }
  }

  /// Throws if the change could not be published with the available keys.
  func rehearse(_ change: OfflineChange) throws {
    _ = try signer.publish(allSeries, adopting: change, after: published, keys: publisher.keys)
  }

  /// If the pending key change has enough signatures, publishes it and returns true. Works after a crash too.
  @discardableResult
  mutating func adoptPending() throws -> Bool {
    let waiting = try publisher.pendingChange()
    guard !waiting.isEmpty else { return false }
    guard let rest = waiting.rest(after: published) else {
      warnings.append(
        "a key change that waited for signatures was dropped: newer metadata was published meanwhile")
      try publisher.keep(pending: .none)
      return false
    }
    guard rest.isComplete(after: published), rest.expired(at: now) == nil else { return false }
    // A crash may have left metadata that the new root does not accept.
    if !rest.isEmpty || !published.outdated.isEmpty { try adopt(rest) }
    try publisher.ship(published.root)
    try publisher.keep(pending: .none)
    return true
  }

  private mutating func adopt(_ change: OfflineChange) throws {
    do { try publish(allSeries, adopting: change) } catch is MissingKeys {
      // A publisher that was started before the change has not read the new keys.
      try publisher.keySource.reload()
      try publish(allSeries, adopting: change)
    }
  }

  /// Renews old signatures even if the origin is idle. Also renews root and targets if their keys are available.
  mutating func renewIfDue() throws {
    if case .doubted(let end) = clock {
      warnings.append(
        "a signature was made by a clock ahead of this one: check this clock. If this clock is right, signatures that "
          + "are valid for too long are replaced after \(end), or at once by 'seedbank regenerate --trust-clock'"
      )
    }
    let renewal = try offlineRenewal()
    let isForAll = clock == .trusted || !renewal.isEmpty || !published.outdated.isEmpty
    guard let longest = isForAll ? .max : longestDue else { return }
    try publish(allSeries.filter { lifetime($0.series) <= longest }, adopting: renewal)
  }

  private func lifetime(_ series: SeedSeries) -> Int {
    publisher.lifetimes[series.dataset] ?? lifetimeSeconds
  }

  /// The longest validity of any signature that is due; `nil` if none is due. All signatures with this or a shorter
  /// validity are renewed together, so that they fall due together again.
  private var longestDue: Int? {
    let all =
      published.series.map { (lifetime($0.key), $0.value.expires) }
      + [(lifetimeSeconds, published.timestamp.expires)]
    return all.filter { isDue($0, expires: $1) }.map(\.0).max()
  }

  private func isDue(_ lifetime: Int, expires: UTCTime) -> Bool {
    let left = expires.secondsSinceEpoch - now.secondsSinceEpoch
    return left < lifetime - min(Publisher.renewalSeconds, lifetime / Self.renewalsPerLifetime)
  }

  /// Skips a role whose metadata waits for signatures, because a renewal would take the version of that metadata.
  private func offlineRenewal() throws -> OfflineChange {
    let waiting = try publisher.pendingChange()
    let root = waiting.root == nil && isDue(published.root, days: RepositorySigner.rootDays)
    let targets = waiting.targets == nil && isDue(published.targets, days: RepositorySigner.targetsDays)
    var renewal = try OfflineChange(
      root: root ? signer.renewedRoot(after: published) : nil,
      targets: targets ? signer.renewedTargets(after: published) : nil)
    renewal.sign(with: publisher.keys, after: published)
    return renewal
  }

  private func isDue<Role: SignedRole>(_ role: Role, days: Int) -> Bool {
    guard publisher.keys.canSign(for: published.root.roles[Role.type]) else { return false }
    let left = role.expires.secondsSinceEpoch - now.secondsSinceEpoch
    let isTooLong = left > days * UTCTime.secondsPerDay + ClockVerdict.toleranceSeconds
    return left < RepositorySigner.renewalDays * UTCTime.secondsPerDay || (clock == .trusted && isTooLong)
  }
}

/// Decides whether to trust a clock that is behind the signatures. Either the clock was ahead when they were made, or
/// it is behind now; one check cannot show which. So each step warns, and new signatures expire no earlier than those
/// they replace. The clock is trusted after a day of such steps, or as soon as an operator confirms it.
enum ClockVerdict: Equatable {
  case agrees
  /// The clock may be wrong. It will be trusted from this time on.
  case doubted(until: UTCTime)
  /// The clock is right, and some signatures are valid for too long.
  case trusted

  static let toleranceSeconds = UTCTime.secondsPerDay
  /// If only the configured validity was reduced, signatures are shortened at once, unless the clock is behind them by
  /// more than this.
  private static let skewSeconds = 60
  static let doubtSeconds = UTCTime.secondsPerDay

  /// `lifetimeSeconds` is the longest validity of any dataset. `isAssured` means that the operator confirmed the clock.
  init(
    of published: PublishedMetadata, in stateFolder: String, lifetimeSeconds: Int, now: UTCTime,
    isAssured: Bool
  ) throws {
    let path = "\(stateFolder)/clock"
    // Stores the configured validity, because signatures made before a reduction legitimately last longer. If the file
    // is lost, the clock is doubted again.
    let lifetimePath = "\(stateFolder)/lifetime"
    let signedSeconds = StateFile.text(lifetimePath).flatMap { Int($0) }
    guard published.isAhead(of: now, lifetimeSeconds, toleranceSeconds: Self.toleranceSeconds) else {
      try Folder.remove(path)
      if lifetimeSeconds != signedSeconds {
        try DurableFile.write(Array(String(lifetimeSeconds).utf8), to: lifetimePath)
      }
      self = .agrees
      return
    }
    // Without a published series, clients have no data that they could reject.
    if isAssured || published.series.isEmpty {
      self = .trusted
    } else if let seconds = signedSeconds,
      !published.isAhead(of: now, seconds, toleranceSeconds: Self.toleranceSeconds)
    {
      // Only the configured validity became shorter. Shortens signatures if the clock is at most a minute behind them.
      self = published.isAhead(of: now, seconds, toleranceSeconds: Self.skewSeconds) ? .agrees : .trusted
    } else {
      let end = try Self.firstDoubt(path, now).adding(seconds: Self.doubtSeconds)
      self = now >= end ? .trusted : .doubted(until: end)
    }
  }

  /// Returns when this clock was first found to be behind. A stored time in the future came from a different clock.
  private static func firstDoubt(_ path: String, _ now: UTCTime) throws -> UTCTime {
    let bytes = try DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    if let bytes, let since = UTCTime(String(decoding: bytes, as: UTF8.self)), since <= now { return since }
    try DurableFile.write(Array(now.text.utf8), to: path)
    return now
  }
}

extension PublishedMetadata {
  /// Whether a date or an expiry shows that a clock was ahead of `now`.
  fileprivate func isAhead(of now: UTCTime, _ lifetimeSeconds: Int, toleranceSeconds: Int) -> Bool {
    let latest = now.adding(seconds: toleranceSeconds)
    let expiries = series.values.map(\.expires) + [snapshot.expires, timestamp.expires]
    return series.values.contains { $0.metadata.state.publishedAt > latest }
      || expiries.contains { $0 > latest.adding(seconds: lifetimeSeconds) }
  }
}
