import SeedFormat
import SeedSystem
import SeedTrust

/// Decides which objects stay listed, and how far back deltas lead. Pure.
///
/// Snapshots stay by their count and age, the newest always. Deltas lead on from the oldest snapshot that stays;
/// of those, ``DeltaLevels`` says which are worth listing.
struct Retention {
  /// Versions of which snapshots stay.
  let snapshots: Int
  /// Seconds after which a snapshot goes though there are fewer; `nil` for never.
  let ageSeconds: Int?

  init(_ job: DatasetJob) {
    snapshots = job.retainedSnapshots
    ageSeconds = job.retainedSnapshotSeconds
  }

  /// A series' floor and the objects that stay.
  struct Outcome {
    let floor: Version
    let objects: [PublishedObject]
  }

  /// After a delta: the floor stays, and so do all snapshots.
  func afterDelta(_ objects: [PublishedObject], floor: Version) -> [PublishedObject] {
    listed(objects, objects.filter { $0.span == nil }, floor)
  }

  /// After a snapshot at `head`: snapshots that are too old go, and the floor rises to the oldest snapshot that stays.
  func afterSnapshot(
    _ objects: [PublishedObject], head: Version, floor: Version, schema: SHA256Digest, now: UTCTime
  ) -> Outcome {
    let snapshots = keptSnapshots(objects, now)
    let oldest = snapshots.filter { $0.schema == schema }.map(\.version).min() ?? floor
    let kept = listed(objects, snapshots, max(floor, oldest))
    // A span that could not be merged must not be promised.
    let covered = DeltaLevels.lowestCovered(kept.spans, head: head)
    return Outcome(floor: max(floor, oldest, covered), objects: kept)
  }

  /// After a new schema: no delta leads over it, and clients that have not refreshed may be fetching a snapshot.
  func afterNewSchema(_ objects: [PublishedObject], now: UTCTime) -> [PublishedObject] {
    keptSnapshots(objects, now)
  }

  private func listed(
    _ objects: [PublishedObject], _ snapshots: [PublishedObject], _ floor: Version
  ) -> [PublishedObject] {
    let deltas = objects.filter { $0.span.map { $0.from >= floor } ?? false }
    let kept = DeltaLevels.kept(deltas.spans, anchors: Set(snapshots.map(\.version)))
    return snapshots + deltas.filter { $0.span.map(kept.contains) ?? false }
  }

  private func keptSnapshots(_ objects: [PublishedObject], _ now: UTCTime) -> [PublishedObject] {
    let all = objects.filter { $0.span == nil }
    let versions = Set(all.map(\.version)).sorted()
    let recent = Set(versions.suffix(snapshots))
    return all.filter { object in
      recent.contains(object.version) && (object.version == versions.last || !isOld(object, now))
    }
  }

  private func isOld(_ object: PublishedObject, _ now: UTCTime) -> Bool {
    guard let ageSeconds, let publishedAt = object.publishedAt else { return false }
    return now.secondsSinceEpoch - publishedAt.secondsSinceEpoch > ageSeconds
  }
}
