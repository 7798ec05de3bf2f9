import SeedDatabase
package import SeedFormat
package import SeedTrust

/// Makes a database file of any published version, out of the publication alone.
///
/// The newest snapshot at or below the version is expanded, and the deltas behind it are applied one at a time:
/// nothing is in memory as a whole. What comes out has the signed digest, recomputed from its rows.
package struct SeriesRecall {
  private let publication: PublicationDirectory
  private let published: SeriesMetadata

  /// Recalls versions of one series, as this metadata describes it.
  package init(_ publication: PublicationDirectory, _ published: SeriesMetadata) {
    self.publication = publication
    self.published = published
  }

  /// A snapshot and the deltas that lead from it to the version that was asked for.
  package struct Road: Sendable {
    package let snapshot: PublishedObject
    package let deltas: [PublishedObject]

    /// The state digest at its end, as it was signed.
    package var digest: SHA256Digest { deltas.last?.digest ?? snapshot.digest }
  }

  /// How a version is reached; throws where nothing that is published leads to it.
  package func road(to version: Version) throws(RecallError) -> Road {
    for snapshot in snapshots where snapshot.version <= version {
      let deltas = published.objects.filter { $0.schema == snapshot.schema }
      guard let chain = DeltaChain.shortest(deltas, from: snapshot.version, to: version) else { continue }
      return Road(snapshot: snapshot, deltas: chain)
    }
    throw RecallError(
      series: published.series, version: version, known: versions, head: published.state.head)
  }

  /// Every version that can be recalled, rising.
  package var versions: [Version] {
    let candidates = Set(published.objects.map(\.version)).sorted()
    return candidates.filter { version in
      snapshots.contains { snapshot in
        guard snapshot.version <= version else { return false }
        let deltas = published.objects.filter { $0.schema == snapshot.schema }
        return DeltaChain.shortest(deltas, from: snapshot.version, to: version) != nil
      }
    }
  }

  /// Writes the version to `path`, where a file of an earlier try may lie, and opens it.
  package func recall(_ version: Version, to path: String) throws -> RecalledSeed {
    let road = try road(to: version)
    let seed = try RecalledSeed(road.snapshot, in: publication, at: path)
    for delta in road.deltas { try seed.apply(delta, from: publication) }
    try seed.prove(road.digest)
    return seed
  }

  private var snapshots: [PublishedObject] {
    published.objects.filter { if case .snapshot(_, .gzip) = $0.kind { true } else { false } }
      .sorted { $0.version > $1.version }
  }
}

/// Nothing that is published leads to a version.
package struct RecallError: Error, Hashable, Sendable, CustomStringConvertible {
  package let series: Series
  package let version: Version
  package let known: [Version]
  package let head: Version

  package var description: String {
    guard version <= head else { return "there is no version \(version) of \(series): the newest is \(head)" }
    return "nothing that is published of \(series) leads to version \(version): "
      + "choose from \(Self.ranges(known))"
  }

  /// `1, 4 to 9, 12`.
  static func ranges(_ versions: [Version]) -> String {
    var runs: [(first: Int, last: Int)] = []
    for number in versions.map(\.number) {
      if let run = runs.last, run.last + 1 == number {
        runs[runs.count - 1].last = number
      } else {
        runs.append((number, number))
      }
    }
    return runs.map { $0.first == $0.last ? "\($0.first)" : "\($0.first) to \($0.last)" }
      .joined(separator: ", ")
  }
}
