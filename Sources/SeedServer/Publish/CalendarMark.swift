package import SeedFormat
package import SeedSystem
import SeedTrust

/// Up to which moment of a calendar a publisher looked after a series, in a file beside its working copy. Where it is
/// lost, the date of the newest snapshot counts alone, and a snapshot may come early, once.
package struct CalendarMark {
  private let path: String

  package init(_ series: Series, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).calendar"
  }

  /// `nil` where there is none that can be read.
  package var time: UTCTime? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { UTCTime(String(decoding: $0, as: UTF8.self)) }
  }

  func write(_ time: UTCTime) throws { try DurableFile.write(Array(time.text.utf8), to: path) }
}
