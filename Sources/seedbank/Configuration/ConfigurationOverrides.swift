import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

import class Foundation.FileManager

/// Options and environment variables, which override single values of the files, options first.
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
    let configuration = try DeploymentConfiguration(readingFile: file, overrides: overrides(arguments))
    try configuration.checkVariables(environment)
    return configuration
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

extension DeploymentConfiguration {
  /// Rejects a variable that is likely meant as a setting. Others with the prefix are ignored, because container
  /// platforms add some for a service called seedbank.
  func checkVariables(_ environment: [String: String]) throws(Refusal) {
    let settings =
      Self.settings.map { (key: $0.key, type: $0.type) }
      + datasets.flatMap { dataset in
        DatasetConfiguration.settings.map { (key: dataset.prefix + $0.key, type: $0.type) }
      }
    let variables = VariableNames(settings, members: datasets.flatMap(\.lifecycleKeys))
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) where !text.isEmpty {
      guard let problem = variables.problem(name) else { continue }
      throw Refusal.configuration(name, problem)
    }
  }
}

private struct VariableNames {
  let known: [String]
  /// The beginnings of settings whose members have names of the operator's choice, such as `lifecycle`. Only files add
  /// members.
  let open: [String]
  /// The beginnings of settings, such as `SEEDBANK_HTTP_`.
  let groups: Set<String>

  /// The letters by which a mistyped name differs.
  private static let slip = 2

  init(_ settings: [(key: String, type: String)], members: [String]) {
    let variable = ConfigurationOverrides.variable
    known =
      [Context.configurationVariable] + KeyRole.allCases.map(KeySearch.variable)
      + settings.map { variable($0.key) } + members.map(variable)
    open = settings.filter { $0.type.hasPrefix("by ") }.map { variable($0.key) + "_" }
    groups = Set(
      settings.compactMap { setting in
        setting.key.lastIndex(of: ".").map { variable(String(setting.key[...$0])) }
      })
  }

  func problem(_ name: String) -> String? {
    guard name.hasPrefix("SEEDBANK_"), !known.contains(name) else { return nil }
    if open.contains(where: name.hasPrefix) {
      return "this has no effect here; write it into \(DeploymentNames.datasetFile), and unset the variable"
    }
    if let meant = known.first(where: { editDistance(Array(name), Array($0)) <= Self.slip }) {
      return "unknown environment variable, did you mean \(meant)?"
    }
    guard groups.contains(where: name.hasPrefix) else { return nil }
    return
      "unknown environment variable; correct it by 'seedbank config keys', which lists the settings, or unset it"
  }
}
