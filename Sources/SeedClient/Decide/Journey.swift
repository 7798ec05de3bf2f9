import SeedDatabase
import SeedFormat
import SeedTrust

/// One look at the server and what follows from it.
struct Journey {
  let model: SeedModel
  let fetcher: Fetcher
  private(set) var metadata: SeriesMetadata
  /// What was on the device at the start.
  let local: SeedMeta?
  /// What is being done.
  var decision: Decision
  /// Hashes of objects that proved bad, now or before.
  private(set) var rejected: Set<SHA256Digest>
  /// Whether another road was taken because an object could not be had.
  private(set) var hasDetoured = false
  /// Bytes of what was fetched and used.
  var bytes = 0
  /// Rows that deltas changed, by table.
  var rows: [String: SeedChanges.Table] = [:]

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

  /// What is to be done by what is known.
  var decided: Decision { .make(metadata, local, model, rejected: rejected) }

  /// What is being done, in the app's words.
  var plan: UpdatePlan {
    get throws(SeedError) {
      try UpdatePlan(decision, from: local?.version, head: metadata.state.head)
    }
  }

  /// Whether a snapshot is still to be tried.
  var isOnDeltas: Bool { if case .apply = decision { true } else { false } }

  /// Goes on by newer metadata; where it is the same, without the object that could not be had.
  mutating func detour(_ newer: SeriesMetadata, without object: PublishedObject) {
    hasDetoured = true
    if newer == metadata { rejected.insert(object.sha256) }
    metadata = newer
  }

  mutating func add(_ changes: SeedChanges) { rows.merge(changes.tables) { $0 + $1 } }
}

/// An object that signed metadata promises and that the server does not have, or not as it was signed.
struct Unobtainable: Error {
  let object: PublishedObject
  let reason: SeedError

  /// `nil` where the error says nothing about the object.
  init?(_ object: PublishedObject, _ error: any Error) {
    let reason = SeedError(error)
    guard reason.code == .missingFile || reason.code == .damaged else { return nil }
    (self.object, self.reason) = (object, reason)
  }
}
