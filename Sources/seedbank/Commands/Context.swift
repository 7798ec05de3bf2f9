import class Foundation.FileManager
import class Foundation.ProcessInfo

/// What a command has of the world around it.
struct Context: Sendable {
  let environment: [String: String]
  /// Absolute.
  let currentDirectory: String
  let console: Console

  /// This process's own.
  static func process() -> Context {
    let environment = ProcessInfo.processInfo.environment
    return Context(
      environment: environment,
      currentDirectory: FileManager.default.currentDirectoryPath,
      console: .standard(environment: environment))
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
