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

extension Context {
  /// The deployment that the arguments, the environment and the current directory point to.
  ///
  /// For commands that declare ``OptionDefinition/config``; their options with a `setting` override the file.
  func configuration(_ arguments: ParsedArguments) throws -> DeploymentConfiguration {
    let finder = ConfigurationFinder(environment: environment, currentDirectory: currentDirectory)
    let file = try finder.file(named: arguments.path("config", from: currentDirectory))
    return try DeploymentConfiguration(readingFile: file, overrides: overrides(arguments))
  }

  /// What stands above the files.
  func overrides(_ arguments: ParsedArguments) -> ConfigurationOverrides {
    ConfigurationOverrides(
      settings: arguments.settings, environment: environment, currentDirectory: currentDirectory)
  }
}
