package import SeedFormat

/// Chooses the chain of deltas between two versions with the fewest bytes.
package enum DeltaChain {
  /// The deltas in order; empty if `start` is `end`, nil if no chain exists. Deltas are state-based and apply to any
  /// version that they cover, so the first one may begin before `start`.
  package static func shortest(
    _ objects: [PublishedObject], from start: SeedVersion, to end: SeedVersion
  ) -> [PublishedObject]? {
    var best: [SeedVersion: Path] = [start: Path(bytes: 0, deltas: [])]
    for delta in objects.compactMap(Edge.init).sorted(by: { ($0.to, $0.from) < ($1.to, $1.from) })
    where delta.to > start && delta.to <= end {
      let reached = best.filter { delta.from <= $0.key && $0.key < delta.to }
      guard let path = reached.values.min(by: { $0.precedes($1) }) else { continue }
      let longer = path.adding(delta.object)
      if let known = best[delta.to], !longer.precedes(known) { continue }
      best[delta.to] = longer
    }
    return best[end]?.deltas
  }

  private struct Edge {
    let object: PublishedObject
    let from: SeedVersion
    let to: SeedVersion

    init?(_ object: PublishedObject) {
      guard case .delta(let from, let to) = object.kind else { return nil }
      (self.object, self.from, self.to) = (object, from, to)
    }
  }

  private struct Path {
    let bytes: Int
    let deltas: [PublishedObject]

    func precedes(_ other: Path) -> Bool { (bytes, deltas.count) < (other.bytes, other.deltas.count) }

    func adding(_ delta: PublishedObject) -> Path {
      Path(bytes: bytes + delta.length, deltas: deltas + [delta])
    }
  }
}
