import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// Decides which objects stay listed and how far back deltas reach. Pure. Snapshots stay by count and age, and always
/// the newest. Deltas reach back to the oldest kept snapshot; ``DeltaLevels`` decides which of them are listed.
struct Retention {
  private let policy: PublishingPolicy

  init(_ policy: PublishingPolicy) { self.policy = policy }

  func afterDelta(_ objects: [PublishedObject], floor: SeedVersion) -> [PublishedObject] {
    listed(objects, objects.filter { $0.span == nil }, floor)
  }

  func afterSnapshot(
    _ objects: [PublishedObject], head: SeedVersion, floor: SeedVersion, schema: SHA256Digest, now: UTCTime
  ) -> (floor: SeedVersion, objects: [PublishedObject]) {
    let snapshots = keptSnapshots(objects, now)
    let oldest = snapshots.filter { $0.schema == schema }.map(\.version).min() ?? floor
    let kept = listed(objects, snapshots, max(floor, oldest))
    // The floor must not promise a span that could not be merged.
    let covered = DeltaLevels.lowestCovered(kept.spans, head: head)
    return (max(floor, oldest, covered), kept)
  }

  private func listed(
    _ objects: [PublishedObject], _ snapshots: [PublishedObject], _ floor: SeedVersion
  ) -> [PublishedObject] {
    let deltas = objects.filter { $0.span.map { $0.from >= floor } ?? false }
    let kept = DeltaLevels.kept(deltas.spans, anchors: Set(snapshots.map(\.version)))
    return snapshots + deltas.filter { $0.span.map(kept.contains) ?? false }
  }

  /// The snapshots that stay. After a schema change no delta is kept, but clients may still be fetching these.
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
