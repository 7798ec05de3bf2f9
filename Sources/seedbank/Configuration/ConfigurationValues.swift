import SeedFormat

/// A found value, as a message shows it.
struct JSONDescription {
  let text: String

  /// By its type, where that is what is wrong.
  static func kind(_ value: JSONValue) -> Self { Self(text: value.kind) }

  /// By itself.
  static func value(_ value: JSONValue) -> Self { Self(text: value.text.clipped) }
}

extension JSONValue {
  /// A text that is not empty.
  func text(at place: ConfigurationPlace) throws(ConfigurationError) -> String {
    guard let text = string else { throw place.error(expected: "a string", found: .kind(self)) }
    guard !text.isEmpty else { throw place.error("expected a text, found an empty string") }
    return text
  }

  /// The members of an object, without the operator's remarks.
  func commentlessMembers(at place: ConfigurationPlace) throws(ConfigurationError) -> [JSONMember] {
    guard let members else { throw place.error(expected: "an object", found: .kind(self)) }
    return members.filter { $0.name != "$comment" }
  }
}

extension ConfigurationSetting {
  func integer(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    guard let number = canonicalDecimal(text, in: range) else {
      throw error(expected: wholeNumber(in: range))
    }
    return number
  }

  func nonEmptyText() throws(ConfigurationError) -> String {
    guard !text.isEmpty else { throw error(expected: "a text") }
    return text
  }

  func path(from directory: String) throws(ConfigurationError) -> String {
    guard Paths.isUsable(text) else { throw error(expected: "a path") }
    return Paths.absolute(text, from: directory)
  }

  private func error(expected: String) -> ConfigurationError {
    ConfigurationError(source, path: path, "expected \(expected), found \"\(text.clipped)\"")
  }
}
