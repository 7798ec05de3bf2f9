package import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The origin's position when a series last read it, stored beside the working copy. Synced before the rows are signed,
/// so after a crash it is at worst ahead of the publication, and a standby is waited for briefly without need.
package struct SeenPlace {
  private let path: String

  package init(_ series: SeedSeries, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).place"
  }

  /// When the origin became a standby that lacks rows read before; `nil` if it is not.
  package var behindSince: UTCTime? { record?.behindSince }

  func relation(of origin: any Origin) throws -> OriginRelation {
    try record.map { try origin.relation(to: $0.place) } ?? .follows
  }

  /// Stores the position, if the origin has one. Syncs only if the rows will be published.
  func note(_ place: OriginCursor?, isPublished: Bool) throws {
    let known = record
    guard let place = place ?? known?.place else { return }
    let next = Record(place: place, behindSince: nil)
    guard isPublished || next != known else { return }
    try isPublished
      ? DurableFile.write(next.json.bytes, to: path) : DurableFile.replace(path, with: next.json.bytes)
  }

  func note(waitingSince start: UTCTime) throws {
    guard let record, record.behindSince != start else { return }
    try DurableFile.write(Record(place: record.place, behindSince: start).json.bytes, to: path)
  }

  private var record: Record? { StateFile.json(path).flatMap(Record.init) }
}

private struct Record: Equatable {
  let place: OriginCursor
  let behindSince: UTCTime?
}

extension Record {
  init?(_ json: JSONValue) {
    guard let place = json["place"] else { return nil }
    self.init(
      place: OriginCursor(place), behindSince: json["behindSince"]?.string.flatMap { UTCTime($0) })
  }

  var json: JSONValue { ["place": place.json, "behindSince": JSONValue(behindSince?.text)] }
}

/// The time up to which a publisher has checked a series' calendar. If the file is lost, one snapshot may be early.
package struct CalendarMark {
  private let path: String

  package init(_ series: SeedSeries, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).calendar"
  }

  package var time: UTCTime? { StateFile.text(path).flatMap { UTCTime($0) } }

  func write(_ time: UTCTime) throws { try DurableFile.write(Array(time.text.utf8), to: path) }
}
