/// Colours of words of state at the beginnings of lines. Only escape sequences are added; the text is unchanged.
enum StateColor: String {
  case good = "32"
  case doubtful = "33"
  case bad = "31"

  private static let starts: [(word: String, color: Self)] = [
    ("error:", .bad), ("critical:", .bad), ("warning:", .doubtful), ("ok:", .good),
  ]
  private static let wholeLines: [(word: String, color: Self)] = [
    ("sound", .good), ("not sound", .bad), ("nothing is wrong", .good),
  ]

  static func marked(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { marked(line: String($0)) }
      .joined(separator: "\n")
  }

  private static func marked(line: String) -> String {
    let small = line.lowercased()
    if let whole = wholeLines.first(where: { $0.word == small }) { return whole.color.around(line) }
    guard let start = starts.first(where: { small.hasPrefix($0.word) }) else { return line }
    let word = line.prefix(start.word.count - 1)
    return start.color.around(String(word)) + line.dropFirst(word.count)
  }

  private func around(_ word: String) -> String { "\u{1B}[\(rawValue)m\(word)\u{1B}[0m" }

  /// False if `NO_COLOR` (no-color.org) has any text, or on a dumb terminal.
  static func areWanted(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
