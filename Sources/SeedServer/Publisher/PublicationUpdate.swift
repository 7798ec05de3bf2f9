import SeedDatabase
import SeedFormat
import SeedTrust

/// Signs what changes and lays it out, while the publication's lock is held; knows what is published after it.
struct PublicationUpdate {
  private let publisher: Publisher
  private let job: DatasetJob
  private let now: UTCTime
  private(set) var published: PublishedMetadata
  /// What an operator should look at.
  private(set) var warnings: [String] = []

  /// Seconds by which clocks may differ before it is said.
  private static let clockToleranceSeconds = UTCTime.secondsPerDay
  /// Signatures that live for minutes are renewed more often than others, so that one late step does no harm.
  private static let renewalsPerLifetime = 4

  /// Whether nothing that clients have seen may be older than what is signed now; nobody knows what that was.
  private let isBeginningEpoch: Bool

  init(
    _ publisher: Publisher, _ job: DatasetJob, now: UTCTime, after published: PublishedMetadata,
    isBeginningEpoch: Bool = false
  ) {
    self.publisher = publisher
    self.job = job
    self.now = now
    self.isBeginningEpoch = isBeginningEpoch
    self.published = published
  }

  /// What the signed metadata says of a series.
  func metadata(_ series: Series) -> SeriesMetadata? { published.series[series]?.metadata }

  private var signer: RepositorySigner {
    RepositorySigner(
      now: now, lifetime: job.lifetimeSeconds,
      leastVersion: isBeginningEpoch ? Publisher.firstVersionAnew(now) : 1)
  }

  private mutating func write(_ step: SigningStep) throws {
    try publisher.publication.write(step.files)
    published = step.published
  }

  /// Delegates to the job's series that are new.
  mutating func delegateNewSeries() throws {
    let known = published.delegatedSeries
    let new = job.plans.map(\.series).filter { !known.contains($0) }
    guard let first = new.first ?? (isBeginningEpoch ? known.first : nil) else { return }
    guard let targets = publisher.targetsKeys else {
      throw PublicationError.notDelegated(series: "\(first)")
    }
    try write(
      try signer.delegate(
        known + new, to: publisher.keys.series.verifiers, after: published, keys: targets.keys))
  }

  /// Publishes what series are now.
  mutating func publish(_ changed: [SeriesMetadata]) throws {
    guard !changed.isEmpty else { return }
    noteClock()
    let others = isBeginningEpoch ? published.series.values.map(\.metadata) : []
    let resigned = others.filter { other in !changed.contains { $0.series == other.series } }
    try write(try signer.publish(changed + resigned, after: published, keys: publisher.keys))
  }

  /// Old signatures are renewed for every series, so that none expires while its origin rests.
  mutating func renewIfDue() throws {
    let oldest = published.series.values.map(\.expires) + [published.timestamp.expires]
    guard let first = oldest.min() else { return }
    let left = first.secondsSinceEpoch - now.secondsSinceEpoch
    let age = min(Publisher.renewalSeconds, job.lifetimeSeconds / Self.renewalsPerLifetime)
    guard left < job.lifetimeSeconds - age else { return }
    try publish(published.series.values.map(\.metadata).sorted { $0.series < $1.series })
  }

  /// Removes what nothing names any more, after its grace; the paths of what went.
  func prune() throws -> [String] {
    try publisher.publication.prune(
      published, PruningMemory(publisher.stateFolder), publisher.pruning(job), now: now,
      isDryRun: false
    ).removed
  }

  private mutating func noteClock() {
    let newest = published.series.values.map(\.metadata.state.publishedAt).max()
    guard let newest, now.adding(seconds: Self.clockToleranceSeconds) < newest else { return }
    let warning = "the clock says \(now), but something was published at \(newest) already: check the clock"
    if !warnings.contains(warning) { warnings.append(warning) }
  }
}
