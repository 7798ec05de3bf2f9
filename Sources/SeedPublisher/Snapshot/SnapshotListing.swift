import SeedFormat
import SeedPublication
import SeedTrust

/// Decides whether a snapshot may be listed if other versions were published while it was made. Pure.
enum SnapshotListing {
  enum Obstacle: String {
    case seriesGone = "the series is not published any more"
    case otherHistory = "the series has started a new history"
    case otherSchema = "a new schema was published"
    case belowFloor = "deltas do not lead on from it any more"
    case aheadOfHead = "the publication has gone back to an older version"
    case otherContent = "its rows differ from those published as the same version"
    case superseded = "it or a newer one is listed already"
    case withdrawn = "its gzip is not listed any more"
  }

  static func obstacle(
    to snapshot: PublishedObject, of epoch: Epoch, in published: SeriesMetadata?
  ) -> Obstacle? {
    guard let published else { return .seriesGone }
    guard published.state.epoch == epoch else { return .otherHistory }
    return snapshot.encoding == .gzip
      ? obstacle(toNew: snapshot, published) : obstacle(toFurther: snapshot, published)
  }

  private static func obstacle(toNew snapshot: PublishedObject, _ published: SeriesMetadata) -> Obstacle? {
    let (state, version) = (published.state, snapshot.version)
    guard version <= state.head else { return .aheadOfHead }
    guard state.models[state.model] == snapshot.schema else { return .otherSchema }
    guard version >= state.floor else { return .belowFloor }
    if let newest = published.newestSnapshot, newest.version >= version { return .superseded }
    let same = published.objects.filter { $0.version == version }
    guard same.allSatisfy({ $0.digest == snapshot.digest }) else { return .otherContent }
    let way = DeltaChain.shortest(published.objects, from: version, to: state.head)
    return way == nil ? .belowFloor : nil
  }

  private static func obstacle(toFurther snapshot: PublishedObject, _ published: SeriesMetadata) -> Obstacle?
  {
    let same = published.objects.filter { $0.span == nil && $0.version == snapshot.version }
    guard same.contains(where: { $0.encoding == .gzip && $0.rawSHA256 == snapshot.rawSHA256 }) else {
      return .withdrawn
    }
    return same.contains { $0.kind == snapshot.kind } ? .superseded : nil
  }
}
