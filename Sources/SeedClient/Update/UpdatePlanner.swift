import SeedDatabase
import SeedFormat
import SeedTrust

/// Plans an update from trusted metadata and the data on the device. Pure.
///
///  1. The series must support the app's minor, with exactly the schema that the app pins. Otherwise the update is
///     rejected; the app is too old if its minor is below all published ones.
///  2. Without data, or with data of another epoch, use the newest snapshot.
///  3. Reject if the data is newer than the head, the newest published version: the publisher has lost versions.
///  4. If the data's rows differ from those published under its version, use the newest snapshot, because no delta
///     applies. Also use it if the data's schema differs from the head's, and no chain of deltas adds the difference.
///  5. Otherwise use the path with the fewest bytes: a chain of deltas, or the newest snapshot and the chain after it.
///     Never go to a lower version than the device's.
///  6. Objects that proved bad count as unpublished, and rows that were rolled back on this device never become current:
///     deltas lead over them in one transaction. A retired series is updated to its last version; the update is rejected
///     if that version cannot be reached.
struct UpdatePlanner {
  private let state: SeriesState
  private let local: SeedMeta?
  let model: SeedModel
  private let rejected: Set<SHA256Digest>
  private let known: [PublishedObject]
  private let deltas: [PublishedObject]
  private let snapshots: [PublishedObject]

  /// `rejected` contains hashes of unusable objects and digests of rejected heads.
  init(_ metadata: SeriesMetadata, _ local: SeedMeta?, _ model: SeedModel, rejected: Set<SHA256Digest> = []) {
    (state, self.local, self.model, self.rejected) = (metadata.state, local, model, rejected)
    known = metadata.objects.filter { $0.version <= metadata.state.head }
    let usable = known.filter { !rejected.contains($0.sha256) }
    deltas = usable.filter { !$0.isSnapshot }
    snapshots = usable.filter(\.isSnapshot)
  }

  func plan() throws(SeedError) -> UpdatePlan {
    try checkModel()
    try checkHead()
    guard let local else { return try snapshot(.firstDownload) }
    guard local.epoch == state.epoch else { return try snapshot(.newEpoch) }
    guard local.version <= state.head else { throw behind(local.version) }
    let chain = chain(from: local.version, local.schema)
    guard chain != nil || local.schema == state.schema else {
      return try snapshot(.newSchema, notBelow: local.version)
    }
    guard isPublished(local) else { return try snapshot(.otherRows, notBelow: local.version) }
    guard local.version < state.head else { return plan(.upToDate, []) }
    let path = snapshotPath(notBelow: local.version.next)
    let (reason, objects): (UpdatePlan.Reason, [PublishedObject]) =
      switch (chain, path) {
      case (let chain?, let path?) where path.bytes < chain.bytes: (.snapshotIsSmaller, path)
      case (let chain?, nil): (.onlyDeltas, chain)
      case (let chain?, _): (.deltasAreSmaller, chain)
      case (nil, let path?): (.onlySnapshot, path)
      case (nil, nil): throw noWay(from: local.version)
      }
    return plan(reason, objects, deltaBytes: chain?.bytes, snapshotBytes: path?.bytes)
  }

  /// Also compares rejected objects, whose digests are valid too.
  private func isPublished(_ local: SeedMeta) -> Bool {
    known.allSatisfy { $0.version != local.version || $0.digest == local.digest }
  }

  private func chain(from version: SeedVersion, _ schema: SHA256Digest) -> [PublishedObject]? {
    DeltaChain.shortest(deltas, from: version, schema, to: state.head, state.schema)
  }

  /// Plans the newest snapshot and the deltas after it. Throws if they end below version `least`.
  func snapshot(_ reason: UpdatePlan.Reason, notBelow least: SeedVersion? = nil) throws(SeedError)
    -> UpdatePlan
  {
    guard let path = snapshotPath(notBelow: least) else { throw noWay(from: least) }
    return plan(reason, path, snapshotBytes: path.bytes)
  }

  /// Considers only the newest snapshot, in its smallest encoding: deltas that apply to an older one also apply to it.
  private func snapshotPath(notBelow least: SeedVersion?) -> [PublishedObject]? {
    let newest = snapshots.filter { $0.schema == state.schema || chain(from: $0.version, $0.schema) != nil }
      .max { ($0.version, $1.length) < ($1.version, $0.length) }
    guard let newest else { return nil }
    let path = [newest] + (chain(from: newest.version, newest.schema) ?? [])
    // Another encoding of a rejected snapshot has a different hash, but the same rows.
    guard let end = path.last, !rejected.contains(end.digest) else { return nil }
    return least.map { end.version < $0 } ?? false ? nil : path
  }

  private func plan(
    _ reason: UpdatePlan.Reason, _ objects: [PublishedObject], deltaBytes: Int? = nil,
    snapshotBytes: Int? = nil
  ) -> UpdatePlan {
    UpdatePlan(
      reason: reason, from: local?.version, to: objects.last?.version ?? state.head, deltaBytes: deltaBytes,
      snapshotBytes: snapshotBytes, objects: objects)
  }

  // MARK: Rejections

  private func checkModel() throws(SeedError) {
    let app = model.version
    if let signed = state.models[app] {
      guard !model.accepts(signed) else { return }
      throw SeedError(
        .modelMismatch,
        "the app's schema of model \(app) differs from the published one (\(signed)): copy the model from "
          + "`seedbank config swift`")
    }
    guard let oldest = state.models.keys.min(), app < oldest else {
      throw SeedError(
        .noCompatibleModel,
        "no published data fits the app's model \(app); the newest model is \(state.model): publish the app's "
          + "model, or use a published one from `seedbank config swift`")
    }
    throw SeedError(
      .clientTooOld,
      "model \(app) is no longer published; the oldest one is \(oldest): release the app with a newer model",
      oldestModel: oldest)
  }

  private func checkHead() throws(SeedError) {
    guard known.contains(where: { $0.version == state.head && rejected.contains($0.digest) }) else { return }
    throw SeedError(
      .rejected,
      "version \(state.head) failed on this device or was rolled back here: wait for a newer version")
  }

  private func behind(_ local: SeedVersion) -> SeedError {
    SeedError(
      .rolledBack,
      "the publisher is at version \(state.head) and this device at \(local), so the publication seems to come from an "
        + "old backup: its operator should restore the newest copy with `seedbank recover` or, if no copy is left, begin a "
        + "new epoch with `seedbank new-epoch`")
  }

  private func noWay(from start: SeedVersion?) -> SeedError {
    if case .retired(let message) = state.lifecycle {
      return SeedError(
        .retired,
        "the series has ended" + (message.map { " (\($0))" } ?? "") + ": release the app with a newer model")
    }
    if known.contains(where: { $0.isSnapshot && rejected.contains($0.sha256) }) {
      return SeedError(
        .rejected,
        "version \(state.head) can only be reached through a snapshot that failed on this device or was rolled back "
          + "here: the publisher must publish another snapshot (`seedbank regenerate --snapshot`)")
    }
    return SeedError(
      .versionGone,
      "no published snapshot or delta leads from \(start.map { "version \($0)" } ?? "an empty store") to "
        + "version \(state.head): the publisher must publish a snapshot")
  }
}
