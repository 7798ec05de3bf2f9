package import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The time up to which a publisher has checked a series' calendar. If the file is lost, one snapshot may be early.
package struct CalendarMark {
  private let path: String

  package init(_ series: Series, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).calendar"
  }

  package var time: UTCTime? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { UTCTime(String(decoding: $0, as: UTF8.self)) }
  }

  func write(_ time: UTCTime) throws { try DurableFile.write(Array(time.text.utf8), to: path) }
}
