import SeedFormat

enum TextLayout {
  /// The width of help pages, and of progress lines on terminals with unknown width.
  static let usualWidth = 80
  static let explanationColumn = 26

  /// Lines of at most `width` columns; a longer word gets its own line.
  static func wrap(_ text: String, indent: Int = 0) -> [String] {
    wrap(words: text.split { $0 == " " || $0 == "\n" }.map(String.init), indent: indent)
  }

  static func wrap(words: [String], indent: Int = 0, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = blank(indent)
    var isEmpty = true
    for word in words {
      if !isEmpty, line.columns + 1 + word.columns > usualWidth {
        lines.append(line)
        line = blank(hanging ?? indent)
        isEmpty = true
      }
      line += isEmpty ? word : " \(word)"
      isEmpty = false
    }
    return lines + [line]
  }

  static func paragraphs(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map { wrap(String($0)) }
    return Array(paragraphs.joined(separator: [""]))
  }

  static func entry(_ name: String, _ explanation: String) -> [String] {
    let head = "  \(name)"
    let lines = wrap(explanation, indent: explanationColumn)
    // Two spaces at least: from there on help2man reads the explanation.
    guard head.count + 1 < explanationColumn, let first = lines.first else { return [head] + lines }
    return [head + first.dropFirst(head.count)] + lines.dropFirst()
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
