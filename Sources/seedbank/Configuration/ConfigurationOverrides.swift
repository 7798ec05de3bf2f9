import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

/// Options and environment variables, which override single values of the files. Options take precedence.
struct ConfigurationOverrides: Sendable {
  var options: [SettingOverride] = []
  var environment: [String: String] = [:]
  /// The base of relative paths in options and variables. Relative paths in a file start at the file's folder.
  let currentDirectory: String

  /// The override of a key, if any. An empty variable counts as unset, because compose files pass empty ones.
  subscript(path: String) -> SettingOverride? {
    if let option = options.last(where: { $0.path == path }) { return option }
    let name = Self.variable(for: path)
    guard let text = environment[name], !text.isEmpty else { return nil }
    return SettingOverride(path: path, source: name, text: text)
  }

  /// `SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS` for `http.idleTimeoutSeconds`.
  static func variable(for path: String) -> String {
    path.reduce(into: "SEEDBANK_") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.isLetter || letter.isNumber ? letter.uppercased() : "_"
    }
  }
}

extension Context {
  /// Reads the configuration of a command that declares ``Parameter/config``. Options with a `setting` override it.
  func configuration(_ arguments: ParsedArguments) throws -> DeploymentConfiguration {
    let file = try configurationFile(named: arguments.path("config"))
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

  /// Returns a named file even if it is missing, so that reading it fails. A fallback would hide the mistake.
  func configurationFile(named option: String?) throws(Refusal) -> String {
    if let named = option ?? environment[Self.configurationVariable], !named.isEmpty {
      return Paths.absolute(named, from: currentDirectory)
    }
    let candidates = usualConfigurationFiles
    if let file = candidates.first(where: Folder.exists) { return file }
    throw Refusal.configuration(
      "no configuration",
      "tried --config (not given), \(Self.configurationVariable) (not set), "
        + "\(candidates.joined(separator: ", ")); make a deployment with 'seedbank init ORIGIN.sqlite'")
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
  /// A name that differs by at most this many letters counts as mistyped.
  private static let slip = 2

  /// Rejects a variable that is probably a misspelled setting. Other variables with the prefix are ignored, because
  /// container platforms add some for a service called seedbank.
  func checkVariables(_ environment: [String: String]) throws(Refusal) {
    let settings =
      Self.settings.map { (key: $0.key, type: $0.type) }
      + datasets.flatMap { dataset in
        DatasetConfiguration.settings.map { (key: dataset.prefix + $0.key, type: $0.type) }
      }
    let known =
      [Context.configurationVariable] + KeyRole.allCases.map(KeySearch.variable)
      + settings.map { ConfigurationOverrides.variable(for: $0.key) }
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("SEEDBANK_") && !text.isEmpty && !known.contains(name) {
      guard let problem = Self.problem(name, known, settings) else { continue }
      throw Refusal.configuration(name, problem)
    }
  }

  private static func problem(
    _ name: String, _ known: [String], _ settings: [(key: String, type: String)]
  ) -> String? {
    func isBelow(_ key: some StringProtocol) -> Bool {
      name.hasPrefix(ConfigurationOverrides.variable(for: "\(key)."))
    }
    // The operator chooses the names of these objects' members, so only files can set them.
    if settings.contains(where: { $0.type.hasPrefix("by ") && isBelow($0.key) }) {
      return "no variable can set it; put it in \(DeploymentNames.datasetFile), and unset the variable"
    }
    if let meant = known.first(where: { editDistance(Array(name), Array($0)) <= slip }) {
      return "unknown environment variable, did you mean \(meant)?"
    }
    let isInGroup = settings.contains { key, _ in
      key.lastIndex(of: ".").map { isBelow(key[..<$0]) } ?? false
    }
    return isInGroup
      ? "unknown environment variable; unset it, or correct it: 'seedbank config keys' lists the settings"
      : nil
  }
}
