import Foundation
import SeedFormat
import SeedSystem
import SeedTrust

enum StoreDirectory {
  /// `Seedbank/com.example.app/transit` in the folder for application data.
  static func defaultPath(_ dataset: DatasetName) -> String {
    "\(dataFolder)/\(path(of: dataset, for: program))"
  }

  /// Includes the program, because the user's other programs may use a dataset with the same name from another
  /// publication.
  static func path(of dataset: DatasetName, for program: String) -> String {
    let folder = program.replacing("/", with: "_")
    return "Seedbank/\(["", ".", ".."].contains(folder) ? "_" : folder)/\(dataset.text)"
  }

  private static var program: String {
    Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent
      ?? ProcessInfo.processInfo.processName
  }

  static func path(of url: URL, _ parameter: String) throws(SeedError) -> String {
    guard url.isFileURL else {
      throw SeedError(
        .configuration,
        "\(parameter): expected a file URL, such as from URL(fileURLWithPath:), found \(url.absoluteString)")
    }
    return url.path
  }

  #if canImport(Darwin)
  static var dataFolder: String { URL.applicationSupportDirectory.path(percentEncoded: false) }
  #else
  /// `XDG_DATA_HOME` if it is an absolute path, otherwise `~/.local/share`.
  static var dataFolder: String {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0].path
  }
  #endif

  /// Sets the file attributes that the app chose. Ignores errors, because some volumes do not support them.
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
