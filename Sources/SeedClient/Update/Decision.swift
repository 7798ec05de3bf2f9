package import SeedDatabase
package import SeedFormat
package import SeedTrust

/// What an update does, decided from trusted metadata and the data on the device. Pure.
///
///  1. The series must open for the app's minor, with exactly the schema that the app pins. If not, it is refused: the
///     app is too old where its minor is below all that are published.
///  2. Without data, or with data of another epoch, the newest snapshot is taken.
///  3. Data ahead of the head is refused: the publisher has lost versions that it published.
///  4. Data with another schema than the head's, or with other rows than were published as its version, is replaced by
///     the newest snapshot: no delta leads on from there.
///  5. Otherwise the way with the fewest bytes is taken: a chain of deltas, or the newest snapshot and the
///     chain after it. None leads to a lower version than the one on the device.
///  6. Objects that proved bad count as not published, and nothing leads to a head whose rows were rolled back
///     on this device. A series that ended is followed to its end; it is refused where nothing leads there.
package enum Decision: Hashable, Sendable {
  /// The data is the newest.
  case upToDate
  /// These deltas lead to the head, in this order.
  case apply([PublishedObject], Comparison)
  /// The snapshot, and the deltas that lead on from it.
  case download(PublishedObject, then: [PublishedObject], Comparison)
  /// Nothing can be done.
  case refuse(Refusal)

  /// The sizes that were compared, and the reason that decided.
  package struct Comparison: Hashable, Sendable {
    package var reason: UpdatePlan.Reason
    package var deltaBytes: Int?
    package var snapshotBytes: Int?
  }

  /// Why nothing can be done.
  package enum Refusal: Hashable, Sendable {
    case clientTooOld(app: ModelVersion, oldest: ModelVersion)
    case noCompatibleModel(app: ModelVersion, newest: ModelVersion)
    case modelMismatch(model: ModelVersion, signed: SHA256Digest)
    case rolledBack(local: Version, head: Version)
    case versionGone(local: Version?, head: Version)
    case retired(message: String?)
    case rejected(head: Version)
  }
}

extension Decision {
  /// Decides by the rules above; `rejected` are hashes of objects that proved bad, and digests of states.
  package static func make(
    _ metadata: SeriesMetadata, _ local: SeedMeta?, _ model: SeedModel, rejected: Set<SHA256Digest> = []
  ) -> Decision {
    let state = metadata.state
    if let refusal = refusal(state, model) { return .refuse(refusal) }
    let planner = UpdatePlanner(metadata, rejected: rejected)
    guard !planner.isHeadRejected else { return .refuse(.rejected(head: state.head)) }
    guard let local else { return planner.snapshot(from: nil, .firstDownload) }
    guard local.epoch == state.epoch else { return planner.snapshot(from: nil, .newEpoch) }
    guard local.version <= state.head else {
      return .refuse(.rolledBack(local: local.version, head: state.head))
    }
    guard local.schema == planner.schema else { return planner.snapshot(from: local.version, .newSchema) }
    guard planner.isPublished(local) else { return planner.snapshot(from: local.version, .otherRows) }
    return local.version == state.head ? .upToDate : planner.smallest(from: local.version)
  }

  /// The snapshot to take when deltas did not lead to the published rows.
  package static func replacement(
    _ metadata: SeriesMetadata, for local: Version?, rejected: Set<SHA256Digest> = []
  ) -> Decision {
    UpdatePlanner(metadata, rejected: rejected).snapshot(from: local, .deltasFailed)
  }

  /// The files to fetch, in the order of their use.
  package var objects: [PublishedObject] {
    switch self {
    case .upToDate, .refuse: []
    case .apply(let chain, _): chain
    case .download(let snapshot, let chain, _): [snapshot] + chain
    }
  }

  private static func refusal(_ state: SeriesState, _ model: SeedModel) -> Refusal? {
    let app = model.model
    if let signed = state.models[app] {
      return model.pin.admits(signed) ? nil : .modelMismatch(model: app, signed: signed)
    }
    guard let oldest = state.models.keys.min(), app < oldest else {
      return .noCompatibleModel(app: app, newest: state.model)
    }
    return .clientTooOld(app: app, oldest: oldest)
  }
}

extension Decision {
  /// The plan in the app's words, for a device at `local`; a refusal is an error.
  func plan(from local: Version?, head: Version) throws(SeedError) -> UpdatePlan {
    switch self {
    case .refuse(let refusal): throw refusal.seedError
    case .upToDate: plan(.upToDate, Comparison(reason: .upToDate), from: local, head)
    case .apply(_, let comparison): plan(.applied, comparison, from: local, head)
    case .download(_, _, let comparison): plan(.replaced, comparison, from: local, head)
    }
  }

  private func plan(
    _ action: UpdateReport.Action, _ comparison: Comparison, from local: Version?, _ head: Version
  ) -> UpdatePlan {
    UpdatePlan(
      action: action, reason: comparison.reason, from: local, to: objects.last?.version ?? head,
      files: objects.map(\.fileName), bytes: objects.bytes, deltaBytes: comparison.deltaBytes,
      snapshotBytes: comparison.snapshotBytes)
  }
}

extension Decision.Refusal: SeedErrorConvertible, CustomStringConvertible {
  var seedError: SeedError {
    switch self {
    case .clientTooOld(_, let oldest): SeedError(.clientTooOld, description, oldestModel: oldest)
    case .noCompatibleModel: SeedError(.noCompatibleModel, description)
    case .modelMismatch: SeedError(.modelMismatch, description)
    case .rolledBack: SeedError(.rolledBack, description)
    case .versionGone: SeedError(.versionGone, description)
    case .retired: SeedError(.retired, description)
    case .rejected: SeedError(.rejected, description)
    }
  }

  /// One sentence, and what to do.
  package var description: String {
    switch self {
    case .clientTooOld(let app, let oldest):
      "model \(app) is no longer published; the oldest one is \(oldest): release the app with a newer model"
    case .noCompatibleModel(let app, let newest):
      "no published data fits the app's model \(app); the newest model is \(newest): publish the app's, or "
        + "use a published model from `seedbank config swift`"
    case .modelMismatch(let model, let signed):
      "the app's schema of model \(model) differs from the published one (\(signed)): "
        + "copy the model from `seedbank config swift`"
    case .rolledBack(let local, let head):
      "the publisher is at version \(head) and this device at \(local), so the publisher seems to come from an old "
        + "backup: tell its operator, who can begin a new epoch by `seedbank new-epoch`"
    case .versionGone(let local, let head):
      "no snapshot or delta that is published leads from \(local.map { "version \($0)" } ?? "an empty store") to "
        + "version \(head): the publisher must publish a snapshot"
    case .rejected(let head):
      "version \(head) failed on this device or was rolled back here: wait for a newer version"
    case .retired(let message):
      "the series has ended" + (message.map { " (\($0))" } ?? "") + ": release the app with a newer model"
    }
  }
}
