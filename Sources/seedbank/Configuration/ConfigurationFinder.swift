import class Foundation.FileManager

/// Where the deployment's seedbank.json is.
struct ConfigurationFinder {
  let environment: [String: String]
  let currentDirectory: String

  /// Tried where nobody names a file.
  static let usualPlaces = ["seedbank.json", "seedbank/seedbank.json"]
  static let variable = "SEEDBANK_CONFIG"

  /// The file that was named, else the first that exists in a usual place. A named one is not looked for:
  /// reading it says what is wrong with it, and falling back to another deployment would be worse.
  func file(named flag: String?) throws(ConfigurationError) -> String {
    if let named = flag ?? environment[Self.variable], !named.isEmpty {
      return Paths.absolute(named, from: currentDirectory)
    }
    let candidates = Self.usualPlaces.map { Paths.absolute($0, from: currentDirectory) }
    guard let found = candidates.first(where: FileManager.default.fileExists) else {
      throw ConfigurationError(
        "no configuration",
        "tried --config (not given), \(Self.variable) (not set), \(candidates.joined(separator: ", "));"
          + " make one with 'seedbank init ORIGIN.sqlite'")
    }
    return found
  }
}
