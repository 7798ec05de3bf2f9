import SeedDatabase
import SeedFormat
import SeedTrust

struct UpdateAttempt {
  private let model: SeedModel
  let fetcher: Fetcher
  private(set) var metadata: SeriesMetadata
  private var local: SeedMeta?
  /// What this update leaves out: what the store has rejected, and what proved unusable since.
  private var leftOut: Set<SHA256Digest>
  private(set) var plan: UpdatePlan
  /// Whether the server was asked again because one of its objects was unusable.
  private(set) var hasLookedAgain = false
  var bytes = 0
  var rows: [String: SeedChanges.Table] = [:]

  /// `rejected` are hashes and digests of states that the store does not use again. A refusal is thrown.
  init(
    _ model: SeedModel, _ fetcher: Fetcher, _ metadata: SeriesMetadata, local: SeedMeta?,
    rejected: Set<SHA256Digest>
  ) throws(SeedError) {
    (self.model, self.fetcher, self.metadata) = (model, fetcher, metadata)
    (self.local, leftOut) = (local, rejected)
    plan = try UpdatePlanner(metadata, local, model, rejected: rejected).plan()
  }

  var phases: PhaseSender { fetcher.context.phases }

  /// Goes on with a snapshot where deltas do not lead from `version` to what was published; false where there is no snapshot.
  mutating func replaceDeltas(from version: Version?) -> Bool {
    take(try? planner.snapshot(.deltasFailed, notBelow: version))
  }

  /// Goes on from the data as it is now with newer metadata; if it is the same, without the object that is missing or
  /// damaged. Only this update leaves it out: the next one asks for it again. False if nothing leads on.
  mutating func goOn(
    with newer: SeriesMetadata, from local: SeedMeta?, without object: PublishedObject
  ) -> Bool {
    hasLookedAgain = true
    if newer == metadata { leftOut.insert(object.sha256) }
    (metadata, self.local) = (newer, local)
    return take(try? planner.plan())
  }

  private var planner: UpdatePlanner { UpdatePlanner(metadata, local, model, rejected: leftOut) }

  private mutating func take(_ next: UpdatePlan?) -> Bool {
    plan = next ?? plan
    return next != nil
  }
}

/// An object that the server does not have, or whose bytes are not those that were signed.
struct UnusableObject: SeedErrorConvertible {
  let object: PublishedObject
  let seedError: SeedError

  /// `nil` where the error says nothing about the object, or says that a delta does not fit the data.
  init?(_ object: PublishedObject, _ error: any Error) {
    let failure = SeedError(error)
    guard [.missingFile, .damaged].contains(failure.code), !(error is DeltaMismatch) else { return nil }
    (self.object, seedError) = (object, failure)
  }
}

extension FetchedObject {
  /// Runs `use`, and removes the file where that fails. Where it was cancelled, as in the background on a phone, or the
  /// disk is full, the file stays: the next update finds it whole and asks for no byte of it. A file that does not hold
  /// what was signed is as unusable as one that never arrived, and there may be another way.
  func using<Value>(
    isolation: isolated (any Actor)? = #isolation, _ use: () async throws -> Value
  ) async throws -> Value {
    do {
      try Task.checkCancellation()
      return try await use()
    } catch {
      if !Task.isCancelled, SeedError(error).code != .insufficientSpace { discard() }
      throw UnusableObject(object, error) ?? error
    }
  }
}
