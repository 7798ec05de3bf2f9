/// Where a value stands: for messages, and to find what overrides it.
struct ConfigurationPlace: Sendable {
  let file: String
  /// The dotted path within the file.
  let path: String
  /// What precedes the path in the name of a setting; empty for seedbank.json.
  let prefix: String
  let overrides: ConfigurationOverrides

  /// The top of a file.
  init(file: String, prefix: String = "", overrides: ConfigurationOverrides) {
    self.init(file: file, path: "", prefix: prefix, overrides: overrides)
  }

  private init(file: String, path: String, prefix: String, overrides: ConfigurationOverrides) {
    self.file = file
    self.path = path
    self.prefix = prefix
    self.overrides = overrides
  }

  /// A member's place.
  func member(_ name: String) -> Self { at(path.isEmpty ? name : "\(path).\(name)") }

  /// An element's place.
  func element(_ index: Int) -> Self { at("\(path)[\(index)]") }

  /// What an option or a variable says instead of the file.
  var override: ConfigurationSetting? { overrides[prefix + path] }

  /// What is wrong with the value that counts, wherever it was said.
  func error(_ problem: String) -> ConfigurationError {
    ConfigurationError(override?.source ?? file, path: path, problem)
  }

  func error(expected: String, found: JSONDescription) -> ConfigurationError {
    error("expected \(expected), found \(found.text)")
  }

  private func at(_ path: String) -> Self {
    Self(file: file, path: path, prefix: prefix, overrides: overrides)
  }
}
