import SeedFormat
import SeedPublisher

extension NoticeKind {
  fileprivate var meaning: String {
    switch self {
    case .published:
      "a program with its arguments, which each command that publishes starts after a step that published something; "
        + "it reads one JSON object. See the article on operating"
    case .failed:
      "the same after a step of `run` or `regenerate` that failed, once until it succeeds or fails in another way"
    }
  }
}

extension DeploymentConfiguration {
  static let noticeSettings: [Setting<Self>] = NoticeKind.allCases.map { kind in
    Setting(
      key: kind.setting, type: "list of texts", usual: "none", isSeldom: true, meaning: kind.meaning,
      read: { configuration, value throws(ConfigurationError) in
        configuration.notices[kind] = try value.command()
      }, json: { JSONValue(strings: $0.notices[kind] ?? []) })
  }
}

extension ConfigurationValue {
  /// A program and its arguments, which may be equal or empty.
  func command() throws(ConfigurationError) -> [String]? {
    guard let written else { return nil }
    guard let words = written.elements?.map(\.string), !words.contains(nil) else {
      throw error(
        "expected an array of strings, such as [\"/usr/local/bin/tell\", \"me\"], found \(written.kind)")
    }
    let command = words.compactMap(\.self)
    guard command.first?.isEmpty == false, !command.contains(where: { $0.utf8.contains(0) }) else {
      throw error(
        "expected a program's path or name at first, found \(written.text.clipped); to start no program, remove "
          + "the key")
    }
    return command
  }
}
