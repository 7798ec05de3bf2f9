import SeedDatabase
import SeedFormat
import SeedTrust

struct UpdateAttempt {
  private let model: SeedModel
  let fetcher: Fetcher
  /// The version before the update.
  let from: SeedVersion?
  /// Data of an older minor, which the app can read only after deltas; `nil` if the app has readable data.
  let outdated: Generation?
  private(set) var metadata: SeriesMetadata
  private var local: SeedMeta?
  /// Hashes that this update skips: the store's rejected ones, and those of objects that it found unusable.
  private var skipped: Set<SHA256Digest>
  private(set) var plan: UpdatePlan
  /// The number of plans made because an object was unusable.
  private(set) var replans = 0
  /// The bytes of the files that were used.
  var bytes = 0
  var changes: [String: SeedChanges.Table] = [:]

  /// `rejected` contains hashes and digests that the store does not use again. With `leavingLog`, prefers a
  /// new file to deltas if the policy allows its size.
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

  /// Plans a snapshot that leads at least to `version`, instead of deltas that failed. Returns false if there is none.
  mutating func replaceDeltas(from version: SeedVersion?) -> Bool {
    take(try? planner.snapshot(.deltasFailed, notBelow: version))
  }

  /// Limits the requests to a server that lacks many files.
  static let mostReplans = 8

  /// Plans again from the newest metadata and the current data. Does not use `object` again during this update.
  /// Returns false if no other objects lead to the newest version.
  mutating func avoid(_ object: PublishedObject, _ newest: SeriesMetadata, from local: SeedMeta?) -> Bool {
    replans += 1
    skipped.insert(object.sha256)
    (metadata, self.local) = (newest, local)
    self.local = planner.usable(local)
    return take(try? planner.plan())
  }

  /// Splits deltas into runs, each of which is committed as a whole. A run does not end at rows that were rolled back on
  /// this device, so that these never become current, even if the update fails or the process ends.
  func runs(of deltas: [FetchedObject]) -> [[FetchedObject]] {
    var runs: [[FetchedObject]] = [[]]
    for delta in deltas {
      runs[runs.count - 1].append(delta)
      if !skipped.contains(delta.object.digest) { runs.append([]) }
    }
    return runs.filter { !$0.isEmpty }
  }

  mutating func note(_ applied: [SeedChanges], by deltas: [FetchedObject]) {
    bytes += deltas.map(\.object).bytes
    for one in applied {
      changes.merge(one.tables) { $0 + $1 }
      fetcher.context.phases.advance(rows: one.rowCount)
    }
  }

  private var planner: UpdatePlanner { UpdatePlanner(metadata, local, model, rejected: skipped) }

  private mutating func take(_ next: UpdatePlan?) -> Bool {
    plan = next ?? plan
    return next != nil
  }
}

extension UpdatePlanner {
  /// Returns nil for data that the app cannot read even after deltas: its version and rows must not prevent a
  /// first download.
  fileprivate func usable(_ local: SeedMeta?) -> SeedMeta? {
    guard let local, !local.opens(for: model) else { return local }
    return (try? plan())?.action == .applied ? local : nil
  }
}

extension FetchedObject {
  /// Runs `use` and removes the file if that fails. Keeps the file after a cancellation or if the disk is full, so
  /// that the next update does not download it again. Throws ``UnusableObject`` for wrong content, as for a missing
  /// file, so that the update tries other objects.
  func using<Value>(_ use: () throws -> Value) throws -> Value {
    do {
      try Task.checkCancellation()
      return try use()
    } catch {
      if !Task.isCancelled, SeedError(error).code != .insufficientSpace { discard() }
      // If a delta does not fit the data, the delta's file is not at fault.
      throw error is DeltaMismatch ? error : UnusableObject(object, error) ?? error
    }
  }
}
