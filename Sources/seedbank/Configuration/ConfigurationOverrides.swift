/// What a command-line option says about one configuration key.
struct ConfigurationSetting: Hashable, Sendable {
  /// The key's dotted path.
  let path: String
  /// How messages call it: `--port`.
  let source: String
  let text: String
}

/// What stands above the files: options, and below them the environment.
///
/// Only single values can be overridden, not lists. Variables of no key are let pass: container platforms put
/// variables of their own into the environment, named after a service that may well be called seedbank. Of one that is
/// a slip away from ours `config check` warns.
struct ConfigurationOverrides: Sendable {
  var settings: [ConfigurationSetting] = []
  var environment: [String: String] = [:]
  /// Where relative paths of options and variables start; those of a file start at its folder.
  let currentDirectory: String

  /// The uppermost word on a key. An empty variable counts as not set, since compose files pass such on.
  subscript(path: String) -> ConfigurationSetting? {
    if let setting = settings.last(where: { $0.path == path }) { return setting }
    let name = Self.variable(for: path)
    guard let text = environment[name], !text.isEmpty else { return nil }
    return ConfigurationSetting(path: path, source: name, text: text)
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
