import SeedDatabase
import SeedFormat
import SeedTrust

struct UpdateAttempt {
  private let model: SeedModel
  let fetcher: Fetcher
  /// The version before the update.
  let from: SeedVersion?
  /// If the store has no data that the app can read: the data that deltas bring to the app's minor.
  let outdated: Generation?
  private(set) var metadata: SeriesMetadata
  private var local: SeedMeta?
  /// Hashes that this update skips: the store's rejected ones, and those that proved unusable since.
  private var skipped: Set<SHA256Digest>
  private(set) var plan: UpdatePlan
  /// The number of plans made because an object was unusable.
  private(set) var replans = 0
  /// The bytes of the files that were used.
  var bytes = 0
  var changes: [String: SeedChanges.Table] = [:]

  /// `rejected` has hashes and digests that the store does not use again. With `leavingLog`, prefers a new file to
  /// deltas if the policy allows its size.
  init(
    _ model: SeedModel, _ fetcher: Fetcher, _ metadata: SeriesMetadata, local: SeedMeta?,
    outdated: Generation?, rejected: Set<SHA256Digest>, leavingLog: Bool
  ) throws(SeedError) {
    (self.model, self.fetcher, self.metadata, self.outdated) = (model, fetcher, metadata, outdated)
    let local = UpdatePlanner(metadata, local, model, rejected: rejected).usable(local)
    (from, self.local, skipped) = (local?.version, local, rejected)
    plan = try UpdatePlanner(metadata, local, model, rejected: rejected).plan()
    guard leavingLog, plan.action == .applied else { return }
    let other = try? planner.snapshot(.logHeld, notBelow: from?.next)
    if let other, (try? other.check(fetcher.context.policy)) != nil { plan = other }
  }

  /// Switches to a snapshot if the deltas from `version` do not yield the published rows; false without a snapshot.
  mutating func replaceDeltas(from version: SeedVersion?) -> Bool {
    take(try? planner.snapshot(.deltasFailed, notBelow: version))
  }

  /// Limits the requests to a server that lacks many files.
  static let mostReplans = 8

  /// Plans again from the newest metadata and the current data, in this update without the unusable object. False if
  /// nothing leads to the newest version.
  mutating func avoid(_ object: PublishedObject, _ newest: SeriesMetadata, from local: SeedMeta?) -> Bool {
    replans += 1
    skipped.insert(object.sha256)
    (metadata, self.local) = (newest, local)
    self.local = planner.usable(local)
    return take(try? planner.plan())
  }

  mutating func note(_ applied: SeedChanges, by delta: PublishedObject) {
    bytes += delta.length
    changes.merge(applied.tables) { $0 + $1 }
    fetcher.context.phases.advance(rows: applied.rowCount)
  }

  private var planner: UpdatePlanner { UpdatePlanner(metadata, local, model, rejected: skipped) }

  private mutating func take(_ next: UpdatePlan?) -> Bool {
    plan = next ?? plan
    return next != nil
  }
}

extension UpdatePlanner {
  /// The data to plan from. Data that the app cannot read only serves as a base for deltas. Without deltas it is not
  /// kept, so no rule about its version or rows prevents a first download.
  fileprivate func usable(_ local: SeedMeta?) -> SeedMeta? {
    guard let local, !local.opens(for: model) else { return local }
    return (try? plan())?.action == .applied ? local : nil
  }
}

extension FetchedObject {
  /// Runs `use` and removes the file if that fails. Keeps it after a cancellation, as in the background on a phone, or
  /// if the disk is full: the next update does not download it again. A file with wrong content is as unusable as a
  /// missing one; there may be another path.
  func using<Value>(_ use: () throws -> Value) throws -> Value {
    do {
      try Task.checkCancellation()
      return try use()
    } catch {
      if !Task.isCancelled, SeedError(error).code != .insufficientSpace { discard() }
      // A delta that does not fit the data is itself usable.
      throw error is DeltaMismatch ? error : UnusableObject(object, error) ?? error
    }
  }
}
