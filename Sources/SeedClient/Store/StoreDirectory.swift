import Foundation
import SeedFormat

/// The directory that a store lies in: where it is unless the app says otherwise, and what the system knows of it.
enum StoreDirectory {
  /// `Seedbank/transit-2` in the user's folder for application data.
  static func defaultPath(_ series: Series) -> String { "\(base)/Seedbank/\(series.roleName)" }

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

  /// Tells the system what the app has chosen. Some volumes cannot carry the marks; the data is as good without them.
  static func apply(_ options: SeedOptions, to directory: String) {
    #if canImport(Darwin)
    var url = URL(fileURLWithPath: directory, isDirectory: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = options.isExcludedFromBackup
    try? url.setResourceValues(values)
    guard let protection = options.fileProtection else { return }
    try? FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: directory)
    #endif
  }
}

#if canImport(Darwin)
extension SeedOptions.FileProtection {
  fileprivate var type: FileProtectionType {
    switch self {
    case .afterFirstUnlock: .completeUntilFirstUserAuthentication
    case .unlessOpen: .completeUnlessOpen
    case .whileUnlocked: .complete
    }
  }
}
#endif
