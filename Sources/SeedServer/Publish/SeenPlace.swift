package import SeedFormat
package import SeedSystem

/// How far the origin had come when a series last read it, in a file beside the working copy. It is on the disk before anything
/// that was read is signed: after a crash it is ahead of what is published at worst, and a standby is waited for in vain for a moment.
package struct SeenPlace {
  private let path: String

  package init(_ series: Series, in stateFolder: String) { path = "\(stateFolder)/\(series.roleName).place" }

  /// Since when the origin has been a standby that lacks what was read before; `nil` if it is not.
  package var behindSince: UTCTime? { record?.behindSince }

  /// How the state that an origin shows now follows that one.
  func relation(of origin: any Origin) throws -> OriginRelation {
    try record.map { try origin.relation(to: $0.place) } ?? .follows
  }

  /// Notes the place that is read, if the origin can tell one. Only what will be published is worth waiting for the disk.
  func note(_ place: OriginCursor?, isPublished: Bool) throws {
    let known = record
    guard let place = place ?? known?.place else { return }
    let next = Record(place: place, behindSince: nil)
    guard isPublished || next != known else { return }
    try isPublished
      ? DurableFile.write(next.json.bytes, to: path) : DurableFile.replace(path, with: next.json.bytes)
  }

  /// Notes that the origin has been behind that place since then.
  func note(waitingSince start: UTCTime) throws {
    guard let record, record.behindSince != start else { return }
    try DurableFile.write(Record(place: record.place, behindSince: start).json.bytes, to: path)
  }

  private var record: Record? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { try? JSONValue(parsing: $0) }.flatMap(Record.init)
  }
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
