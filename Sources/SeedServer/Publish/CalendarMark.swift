package import SeedFormat
package import SeedSystem
import SeedTrust

/// The time up to which a publisher has checked a series' calendar, stored beside the working copy. If the file is
/// lost, only the date of the newest snapshot counts, so one snapshot may be early.
package struct CalendarMark {
  private let path: String

  package init(_ series: Series, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).calendar"
  }

  /// `nil` if the file is missing or unreadable.
  package var time: UTCTime? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { UTCTime(String(decoding: $0, as: UTF8.self)) }
  }

  func write(_ time: UTCTime) throws { try DurableFile.write(Array(time.text.utf8), to: path) }
}
