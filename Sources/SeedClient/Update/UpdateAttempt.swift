import SeedDatabase
import SeedFormat
import SeedTrust

/// One look at the server and the update that follows from it.
struct UpdateAttempt {
  let model: SeedModel
  let fetcher: Fetcher
  private(set) var metadata: SeriesMetadata
  /// The data on the device at the start.
  let local: SeedMeta?
  private(set) var decision: Decision
  /// Hashes of objects that proved bad, now or before.
  private var rejected: Set<SHA256Digest>
  /// Whether the server was asked again because it did not have an object.
  private(set) var hasLookedAgain = false
  /// Bytes of the files that were fetched and used.
  var bytes = 0
  /// Rows that deltas changed, by table.
  private(set) var rows: [String: SeedChanges.Table] = [:]

  init(
    model: SeedModel, fetcher: Fetcher, metadata: SeriesMetadata, local: SeedMeta?,
    rejected: Set<SHA256Digest>
  ) {
    self.model = model
    self.fetcher = fetcher
    self.metadata = metadata
    self.local = local
    self.rejected = rejected
    decision = .make(metadata, local, model, rejected: rejected)
  }

  /// The plan of the decision; a refusal is an error.
  var plan: UpdatePlan {
    get throws(SeedError) { try decision.plan(from: local?.version, head: metadata.state.head) }
  }

  var phases: PhaseSender { fetcher.context.phases }

  var isApplyingDeltas: Bool { if case .apply = decision { true } else { false } }

  /// Goes on with a snapshot where deltas do not lead from `version` to what was published.
  mutating func replaceDeltas(from version: Version?) {
    decision = .replacement(metadata, for: version, rejected: rejected)
  }

  /// Goes on with newer metadata; if it is the same, without the object that is missing or damaged. Only this update
  /// leaves it out: the next one asks for it again.
  mutating func goOn(with newer: SeriesMetadata, without object: PublishedObject) {
    hasLookedAgain = true
    if newer == metadata { rejected.insert(object.sha256) }
    metadata = newer
    decision = .make(metadata, local, model, rejected: rejected)
  }

  mutating func add(_ changes: SeedChanges) { rows.merge(changes.tables) { $0 + $1 } }

  /// A new file may differ anywhere.
  mutating func forgetRows() { rows = [:] }
}

/// An object that the server does not have, or whose bytes are not those that were signed.
struct UnusableObject: SeedErrorConvertible {
  let object: PublishedObject
  let seedError: SeedError

  /// `nil` where the error says nothing about the object.
  init?(_ object: PublishedObject, _ error: any Error) {
    let error = SeedError(error)
    guard error.code == .missingFile || error.code == .damaged else { return nil }
    (self.object, seedError) = (object, error)
  }
}
