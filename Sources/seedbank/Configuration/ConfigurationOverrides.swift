import SeedSystem

import class Foundation.FileManager

/// Options, and below them the environment: both stand above the files, for single values.
/// Variables of no key are let pass: container platforms add some, named after a service that may well be called
/// seedbank. Of one that is a slip away from ours `config check` warns.
struct ConfigurationOverrides: Sendable {
  var options: [SettingOverride] = []
  var environment: [String: String] = [:]
  /// Where relative paths of options and variables start; those of a file start at its folder.
  let currentDirectory: String

  /// The uppermost word on a key. An empty variable counts as not set, since compose files pass such on.
  subscript(path: String) -> SettingOverride? {
    if let option = options.last(where: { $0.path == path }) { return option }
    let name = Self.variable(for: path)
    guard let text = environment[name], !text.isEmpty else { return nil }
    return SettingOverride(path: path, source: name, text: text)
  }

  /// `SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS` for `http.idleTimeoutSeconds`.
  static func variable(for path: String) -> String {
    var name = "SEEDBANK_"
    for letter in path {
      if letter.isUppercase { name += "_" }
      name += letter.isLetter || letter.isNumber ? letter.uppercased() : "_"
    }
    return name
  }
}

extension Context {
  /// For commands that declare ``Parameter/config``; their options with a `setting` override the file.
  func configuration(_ arguments: ParsedArguments) throws -> DeploymentConfiguration {
    let file = try configurationFile(named: arguments.path("config", from: currentDirectory))
    try checkPresent(file)
    return try DeploymentConfiguration(readingFile: file, overrides: overrides(arguments))
  }

  func overrides(_ arguments: ParsedArguments) -> ConfigurationOverrides {
    ConfigurationOverrides(
      options: arguments.overrides, environment: environment, currentDirectory: currentDirectory)
  }

  static let configurationVariable = "SEEDBANK_CONFIG"

  var usualConfigurationFiles: [String] {
    ["seedbank.json", "seedbank/seedbank.json"].map { Paths.absolute($0, from: currentDirectory) }
  }

  /// A named file need not exist: reading it says what is wrong, and falling back to another would be worse.
  func configurationFile(named option: String?) throws(ConfigurationError) -> String {
    if let named = option ?? environment[Self.configurationVariable], !named.isEmpty {
      return Paths.absolute(named, from: currentDirectory)
    }
    let candidates = usualConfigurationFiles
    if let file = candidates.first(where: FileManager.default.fileExists) { return file }
    throw ConfigurationError(
      "no configuration",
      "tried --config (not given), \(Self.configurationVariable) (not set), "
        + "\(candidates.joined(separator: ", ")); make one with 'seedbank init ORIGIN.sqlite'")
  }

  /// Reading tells of every other mistake.
  private func checkPresent(_ file: String) throws(ConfigurationError) {
    guard access(file, F_OK) != 0, errno == ENOENT else { return }
    let folder = Folder.parent(of: file)
    throw ConfigurationError(
      file,
      "expected this file, found none; make a deployment with 'seedbank init ORIGIN.sqlite --directory \(folder.printable)'"
    )
  }
}
