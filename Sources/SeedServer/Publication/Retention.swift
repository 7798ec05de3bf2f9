import SeedFormat
import SeedTrust

/// Decides which objects stay listed: the snapshots of the newest versions, and the deltas behind the oldest.
struct Retention {
  private let snapshots: Int

  /// Keeps the snapshots of that many versions.
  init(_ snapshots: Int) { self.snapshots = snapshots }

  /// The oldest version that deltas lead on from, once these are all the objects of one schema.
  func floor(_ objects: [PublishedObject], schema: SHA256Digest, floor: Version) -> Version {
    let versions = keptVersions(objects.filter { $0.schema == schema })
    return max(floor, versions.min() ?? floor)
  }

  /// The objects that stay: a delta that begins below the floor leads nowhere that clients are sent.
  func kept(_ objects: [PublishedObject], floor: Version) -> [PublishedObject] {
    let versions = keptVersions(objects)
    return objects.filter { object in
      switch object.kind {
      case .snapshot(let version, _): versions.contains(version)
      case .delta(let from, _): from >= floor
      }
    }
  }

  private func keptVersions(_ objects: [PublishedObject]) -> Set<Version> {
    let all = Set(
      objects.compactMap { object -> Version? in
        if case .snapshot(let version, _) = object.kind { version } else { nil }
      })
    return Set(all.sorted().suffix(snapshots))
  }
}
