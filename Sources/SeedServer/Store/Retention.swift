import SeedFormat
import SeedSystem
import SeedTrust

/// Decides which objects stay listed, and how far back deltas lead. Pure. Snapshots stay by their count and age, the
/// newest always. Deltas lead on from the oldest that stays; ``DeltaLevels`` says which are worth listing.
struct Retention {
  private let policy: PublishingPolicy

  init(_ policy: PublishingPolicy) { self.policy = policy }

  func afterDelta(_ objects: [PublishedObject], floor: Version) -> [PublishedObject] {
    listed(objects, objects.filter { $0.span == nil }, floor)
  }

  func afterSnapshot(
    _ objects: [PublishedObject], head: Version, floor: Version, schema: SHA256Digest, now: UTCTime
  ) -> (floor: Version, objects: [PublishedObject]) {
    let snapshots = keptSnapshots(objects, now)
    let oldest = snapshots.filter { $0.schema == schema }.map(\.version).min() ?? floor
    let kept = listed(objects, snapshots, max(floor, oldest))
    // A span that could not be merged must not be promised.
    let covered = DeltaLevels.lowestCovered(kept.spans, head: head)
    return (max(floor, oldest, covered), kept)
  }

  private func listed(
    _ objects: [PublishedObject], _ snapshots: [PublishedObject], _ floor: Version
  ) -> [PublishedObject] {
    let deltas = objects.filter { $0.span.map { $0.from >= floor } ?? false }
    let kept = DeltaLevels.kept(deltas.spans, anchors: Set(snapshots.map(\.version)))
    return snapshots + deltas.filter { $0.span.map(kept.contains) ?? false }
  }

  /// All that stays after a new schema, over which no delta leads: clients may still be fetching one of them.
  func keptSnapshots(_ objects: [PublishedObject], _ now: UTCTime) -> [PublishedObject] {
    let all = objects.filter { $0.span == nil }
    let versions = Set(all.map(\.version)).sorted()
    let recent = Set(versions.suffix(policy.retainedSnapshots))
    return all.filter { object in
      recent.contains(object.version) && (object.version == versions.last || !isOld(object, now))
    }
  }

  private func isOld(_ object: PublishedObject, _ now: UTCTime) -> Bool {
    guard let ageSeconds = policy.retainedSnapshotSeconds, let publishedAt = object.publishedAt else {
      return false
    }
    return now.secondsSinceEpoch - publishedAt.secondsSinceEpoch > ageSeconds
  }
}
