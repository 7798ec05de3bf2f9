import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// Pure functions that decide which deltas are merged into longer ones and which stay listed. A delta of level n
/// spans at most 16^n versions and ends at a multiple of that number. A client that is d versions behind needs about
/// log₁₆ d levels, and at most sixteen deltas of each, because each level keeps its last sixteen. A client may also
/// start in the middle of a longer delta, because deltas carry row states, not operations.
enum DeltaLevels {
  /// How many deltas of one level are merged into one of the next, and how many of each level stay listed.
  static let base = 16

  /// Returns the spans to merge when `head` is published, shortest first. Deltas reach back no further than `floor`.
  static func due(at head: SeedVersion, floor: SeedVersion) -> [DeltaSpan] {
    var spans: [DeltaSpan] = []
    var reach = base
    while head.number.isMultiple(of: reach) {
      // The first span of each level would begin at 0, but versions begin at 1.
      let from = max(floor, (try? SeedVersion(head.number - reach)) ?? .first)
      let span = DeltaSpan(from: from, to: head)
      if span.length > 1, spans.last != span { spans.append(span) }
      if from == floor { break }
      reach *= base
    }
    return spans
  }

  /// Returns the spans that stay listed: all that are not inside a longer span that stays. The last sixteen
  /// of each level stay anyway, as do spans between two `anchors`, the versions to which the floor will rise.
  static func kept(_ spans: Set<DeltaSpan>, anchors: Set<SeedVersion>) -> Set<DeltaSpan> {
    let recent = Set(
      Dictionary(grouping: spans, by: level).values.flatMap { level in
        level.sorted { ($0.to, $0.from) < ($1.to, $1.from) }.suffix(base)
      })
    let longestFirst = spans.sorted { ($0.length, $0.to) > ($1.length, $1.to) }
    return longestFirst.reduce(into: []) { kept, span in
      let isAnchored = anchors.contains(span.from) && anchors.contains(span.to)
      if isAnchored || recent.contains(span) || !kept.contains(where: { $0.contains(span) }) {
        kept.insert(span)
      }
    }
  }

  /// Returns the lowest version such that the spans lead to `head` from this and every later version.
  static func lowestCovered(_ spans: Set<DeltaSpan>, head: SeedVersion) -> SeedVersion {
    var reached = head
    while let next = spans.filter({ $0.to >= reached && $0.from < reached }).map(\.from).min() {
      reached = next
    }
    return reached
  }

  /// Returns 0 for a span of one version, and n for a span of at most 16^n versions.
  static func level(_ span: DeltaSpan) -> Int {
    sequence(first: 1) { $0 * base }.prefix { $0 < span.length }.count
  }
}

/// Decides which objects stay listed and how far back deltas reach. Pure. The policy's count and age limit
/// the snapshots, but the newest stays. ``DeltaLevels`` selects the deltas back to the oldest kept snapshot.
struct Retention {
  let policy: PublishingPolicy
  /// Whether the series is held after a rollback. It then keeps any number of snapshots for a second rollback.
  var isHeld = false

  func afterDelta(_ objects: [PublishedObject], floor: SeedVersion) -> [PublishedObject] {
    listed(objects, objects.filter { $0.span == nil }, floor)
  }

  func afterSnapshot(
    _ objects: [PublishedObject], head: SeedVersion, floor: SeedVersion, schema: SHA256Digest?, now: UTCTime
  ) -> (floor: SeedVersion, objects: [PublishedObject]) {
    let snapshots = keptSnapshots(objects, now)
    let usable = snapshots.filter {
      DeltaChain.shortest(objects, from: $0.version, $0.schema, to: head, schema) != nil
    }
    let newest = usable.map(\.version).max()
    // If versions were published while the newest snapshot was being compressed, the only delta from it to the head
    // may begin at an earlier version.
    let entry = newest.flatMap { version in
      objects.spans.filter { $0.from <= version && version < $0.to }.map(\.from).max()
    }
    // A new minor's snapshot must not raise the floor, because older clients still need the minor's first delta.
    let oldest =
      newest == objects.newestMinor
      ? floor : [usable.map(\.version).min(), entry].compactMap(\.self).min() ?? floor
    let kept = listed(objects, snapshots, max(floor, oldest))
    // If a span could not be merged, deltas do not reach as far back as the snapshots.
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

  /// Returns the snapshots that stay listed, even those of an older schema, which clients may still be downloading.
  func keptSnapshots(_ objects: [PublishedObject], _ now: UTCTime) -> [PublishedObject] {
    let all = objects.filter { $0.span == nil }
    let versions = Set(all.map(\.version)).sorted()
    let recent = Set(versions.suffix(isHeld ? versions.count : policy.retainedSnapshots))
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
