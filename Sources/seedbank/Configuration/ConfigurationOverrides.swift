import SeedFormat
import SeedPublication
import SeedSystem

import class Foundation.FileManager

/// Options and environment variables, which override single values of the files, options first. Unknown variables are
/// ignored, because container platforms add some for a service called seedbank; `config check` warns of likely typos.
struct ConfigurationOverrides: Sendable {
  var options: [SettingOverride] = []
  var environment: [String: String] = [:]
  /// The base of relative paths in options and variables; those in a file are relative to its folder.
  let currentDirectory: String

  /// The override of a key, if any. An empty variable counts as unset, because compose files pass such ones.
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

  /// A named file need not exist: reading it reports the error, and a fallback would hide it.
  func configurationFile(named option: String?) throws(Refusal) -> String {
    if let named = option ?? environment[Self.configurationVariable], !named.isEmpty {
      return Paths.absolute(named, from: currentDirectory)
    }
    let candidates = usualConfigurationFiles
    if let file = candidates.first(where: FileManager.default.fileExists) { return file }
    throw Refusal.configuration(
      "no configuration",
      "tried --config (not given), \(Self.configurationVariable) (not set), "
        + "\(candidates.joined(separator: ", ")); make one with 'seedbank init ORIGIN.sqlite'")
  }

  /// Checks only for a missing file; reading reports other errors.
  private func checkPresent(_ file: String) throws(Refusal) {
    guard access(file, F_OK) != 0, errno == ENOENT else { return }
    let folder = Folder.parent(of: file)
    throw Refusal.configuration(
      file,
      "expected this file, found none; make a deployment with 'seedbank init ORIGIN.sqlite --directory \(folder.printable)'"
    )
  }
}
