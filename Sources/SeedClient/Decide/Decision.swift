package import SeedDatabase
package import SeedFormat
package import SeedTrust

/// What is to be done, by trusted metadata and what is on the device: the client's law. Pure.
///
///  1. The series must open for the app's minor, with exactly the schema that the app pins; else it is
///     refused: the app is too old where its minor lies below all that are published.
///  2. Without data, or with data of another epoch, the newest snapshot is taken.
///  3. Data ahead of the head is refused: the publisher has lost versions that it published.
///  4. Data with another schema than the head's, or with other rows than were published as its version, goes
///     to the newest snapshot: no delta leads on from there.
///  5. Otherwise the road with the fewest bytes is taken: a chain of deltas, or the newest snapshot and the
///     chain that leads on from it. No road leads to a lower version than the one at hand.
///  6. Objects that proved bad are as good as not published, and no road leads to a head whose rows were taken back
///     on this device. A series that ended is followed to its end; it is refused where no road is left.
package enum Decision: Hashable, Sendable {
  /// The data is the newest.
  case upToDate
  /// These deltas lead to the head, in this order.
  case apply([PublishedObject], Weighing)
  /// The snapshot, and the deltas that lead on from it.
  case download(PublishedObject, then: [PublishedObject], Weighing)
  /// Nothing can be done.
  case refuse(Refusal)

  /// What was weighed, and what tipped the scales.
  package struct Weighing: Hashable, Sendable {
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
    let roads = Roads(metadata, rejected: rejected)
    guard !roads.isHeadRejected else { return .refuse(.rejected(head: state.head)) }
    guard let local else { return roads.snapshot(from: nil, .firstDownload) }
    guard local.epoch == state.epoch else { return roads.snapshot(from: nil, .newEpoch) }
    guard local.version <= state.head else {
      return .refuse(.rolledBack(local: local.version, head: state.head))
    }
    guard local.schema == roads.schema else { return roads.snapshot(from: local.version, .newSchema) }
    guard roads.isPublished(local) else { return roads.snapshot(from: local.version, .otherRows) }
    return local.version == state.head ? .upToDate : roads.shortest(from: local.version)
  }

  /// The snapshot to take when deltas did not lead to what they should have.
  package static func replacement(
    _ metadata: SeriesMetadata, for local: Version?, rejected: Set<SHA256Digest> = []
  ) -> Decision {
    Roads(metadata, rejected: rejected).snapshot(from: local, .deltasFailed)
  }

  /// What is to be fetched, in the order of its use.
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

extension Decision.Refusal: CustomStringConvertible {
  /// One sentence, and what to do.
  package var description: String {
    switch self {
    case .clientTooOld(let app, let oldest):
      "model \(app) is no longer published, the oldest one is \(oldest): release the app with a newer model"
    case .noCompatibleModel(let app, let newest):
      "nothing is published that model \(app) can open, the newest model is \(newest): publish that model, or take "
        + "one that is published from `seedbank config swift`"
    case .modelMismatch(let model, let signed):
      "the app's schema of model \(model) is not the published one (\(signed)): "
        + "take the model from `seedbank config swift`"
    case .rolledBack(let local, let head):
      "the publisher is at version \(head) and this device at \(local): the publisher must start a new epoch"
    case .versionGone(let local, let head):
      "nothing that is published leads from \(local.map { "version \($0)" } ?? "nothing") to version \(head)"
    case .rejected(let head):
      "version \(head) was tried on this device and taken back: the publisher must publish another one"
    case .retired(let message):
      "the series has ended" + (message.map { " (\($0))" } ?? "") + ": release the app with a newer model"
    }
  }
}
