import Foundation
import SeedFormat

/// Where a store lies unless the app says otherwise.
enum DefaultDirectory {
  /// `Seedbank/transit-2` in the user's folder for application data.
  static func path(_ series: Series) -> String { "\(base)/Seedbank/\(series.roleName)" }

  #if canImport(Darwin)
  private static var base: String { URL.applicationSupportDirectory.path(percentEncoded: false) }
  #else
  private static var base: String {
    let environment = ProcessInfo.processInfo.environment
    // The specification of base directories says that a relative path must be ignored.
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data }
    return "\(NSHomeDirectory())/.local/share"
  }
  #endif

  /// What can be downloaded again has no place in the user's backups; app reviews insist on it.
  static func excludeFromBackup(_ directory: String) {
    #if canImport(Darwin)
    var url = URL(fileURLWithPath: directory, isDirectory: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    // Some volumes cannot carry the mark; the data is as good without it.
    try? url.setResourceValues(values)
    #endif
  }
}
