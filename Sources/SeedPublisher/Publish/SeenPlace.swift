package import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The origin's position when a series last read it, stored beside the working copy. Synced before the rows are signed,
/// so after a crash it is at worst ahead of the publication, and a step briefly waits for a standby without need.
package struct SeenPlace {
  private let path: String

  package init(_ series: SeedSeries, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).place"
  }

  /// When the origin became a standby that lacks rows read before; `nil` if it is not.
  package var behindSince: UTCTime? { known?["behindSince"]?.string.flatMap { UTCTime($0) } }

  private var known: JSONValue? { StateFile.json(path) }

  func relation(of origin: any Origin) throws -> OriginRelation {
    try known?["place"].map { try origin.relation(to: OriginCursor($0)) } ?? .follows
  }

  /// Stores the position, if the origin has one. Syncs only if the rows will be published.
  func note(_ place: OriginCursor?, isPublished: Bool) throws {
    let known = known
    guard let place = place?.json ?? known?["place"] else { return }
    let next: JSONValue = ["place": place, "behindSince": .null]
    if isPublished { return try DurableFile.write(next.bytes, to: path) }
    if next != known { try DurableFile.replace(path, with: next.bytes) }
  }

  func note(waitingSince start: UTCTime) throws {
    guard let place = known?["place"], behindSince != start else { return }
    let next: JSONValue = ["place": place, "behindSince": .string(start.text)]
    try DurableFile.write(next.bytes, to: path)
  }
}
