import SeedDatabase
import SeedFormat
import SeedTrust

/// Finds the ways to a series' head among the published objects.
struct UpdatePlanner {
  private let state: SeriesState
  private let deltas: [PublishedObject]
  private let snapshots: [PublishedObject]
  private let objects: [PublishedObject]
  private let rejected: Set<SHA256Digest>
  /// The head's schema, where the metadata names it.
  let schema: SHA256Digest?

  /// `rejected` has hashes of objects that are not used, and digests of heads that are not wanted.
  init(_ metadata: SeriesMetadata, rejected: Set<SHA256Digest>) {
    let schema = metadata.state.models[metadata.state.model]
    let known = metadata.objects.filter { $0.schema == schema && $0.version <= metadata.state.head }
    let usable = known.filter { !rejected.contains($0.sha256) }
    state = metadata.state
    objects = known
    deltas = usable.filter { !$0.isSnapshot }
    snapshots = usable.filter { $0.isSnapshot && !rejected.contains($0.sha256) }
    self.rejected = rejected
    self.schema = schema
  }

  /// True where the head's rows were rolled back on this device.
  var isHeadRejected: Bool {
    objects.contains { $0.version == state.head && rejected.contains($0.digest) }
  }

  /// True where the rows are those that were published as that version, as far as the metadata still tells.
  func isPublished(_ local: SeedMeta) -> Bool {
    objects.allSatisfy { $0.version != local.version || $0.digest == local.digest }
  }

  /// The chain or the snapshot, whichever has fewer bytes; the chain if they have the same.
  func smallest(from local: Version) -> Decision {
    let chain = DeltaChain.shortest(deltas, from: local, to: state.head)
    let snapshot = newestSnapshot(beyond: local)
    func comparison(_ reason: UpdatePlan.Reason) -> Decision.Comparison {
      .init(reason: reason, deltaBytes: chain?.bytes, snapshotBytes: snapshot?.bytes)
    }
    switch (chain, snapshot) {
    case (let chain?, let snapshot?) where snapshot.bytes < chain.bytes:
      return snapshot.decision(comparison(.snapshotIsSmaller))
    case (let chain?, nil): return .apply(chain, comparison(.onlyDeltas))
    case (let chain?, _): return .apply(chain, comparison(.deltasAreSmaller))
    case (nil, let snapshot?): return snapshot.decision(comparison(.onlySnapshot))
    case (nil, nil): return .refuse(refusal(local))
    }
  }

  /// The newest snapshot, unless it would lead back from `local`.
  func snapshot(from local: Version?, _ reason: UpdatePlan.Reason) -> Decision {
    guard let path = newestSnapshot(notBelow: local) else { return .refuse(refusal(local)) }
    return path.decision(.init(reason: reason, snapshotBytes: path.bytes))
  }

  private func refusal(_ local: Version?) -> Decision.Refusal {
    if case .retired(let message) = state.lifecycle { return .retired(message: message) }
    let isRejected = objects.contains { $0.isSnapshot && rejected.contains($0.sha256) }
    return isRejected ? .rejected(head: state.head) : .versionGone(local: local, head: state.head)
  }

  private func newestSnapshot(beyond local: Version) -> SnapshotPath? {
    newestSnapshot(notBelow: local).flatMap { $0.end > local ? $0 : nil }
  }

  /// Of the newest snapshot's encodings the smallest one. (No older snapshot leads further: a delta that leads on
  /// from it covers the newer one as well.)
  private func newestSnapshot(notBelow local: Version?) -> SnapshotPath? {
    let newest = snapshots.max { ($0.version, $1.length) < ($1.version, $0.length) }
    guard let newest else { return nil }
    let chain = DeltaChain.shortest(deltas, from: newest.version, to: state.head) ?? []
    let path = SnapshotPath(snapshot: newest, chain: chain)
    return local.map { path.end >= $0 } ?? true ? path : nil
  }
}

/// A snapshot and the deltas after it.
private struct SnapshotPath {
  let snapshot: PublishedObject
  let chain: [PublishedObject]

  var bytes: Int { ([snapshot] + chain).bytes }
  var end: Version { chain.last?.version ?? snapshot.version }

  func decision(_ comparison: Decision.Comparison) -> Decision {
    .download(snapshot, then: chain, comparison)
  }
}

extension [PublishedObject] {
  /// Bytes of all of them as they are stored.
  var bytes: Int { reduce(0) { $0 + $1.length } }
}

extension PublishedObject {
  var isSnapshot: Bool { if case .snapshot = kind { true } else { false } }
}
