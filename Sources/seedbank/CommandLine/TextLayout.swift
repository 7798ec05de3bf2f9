/// Plain text in lines of bounded length.
enum TextLayout {
  /// Columns of a line of help.
  static let width = 80
  /// Where the explanations begin in a list of names.
  static let explanationColumn = 26

  /// Lines of at most `width` columns; a longer word has a line for itself.
  static func wrap(_ text: String, indent: Int = 0, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = blank(indent)
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = blank(hanging ?? indent)
        isEmpty = true
      }
      line += isEmpty ? String(word) : " \(word)"
      isEmpty = false
    }
    return lines + [line]
  }

  /// Paragraphs parted by an empty line.
  static func paragraphs(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map {
      wrap($0.split(separator: "\n").joined(separator: " "))
    }
    return Array(paragraphs.joined(separator: [""]))
  }

  /// A name and its explanation beside it, or below it where the name is too long.
  static func entry(_ name: String, _ explanation: String) -> [String] {
    let head = "  \(name)"
    let lines = wrap(explanation, indent: explanationColumn)
    guard head.count < explanationColumn, let first = lines.first else { return [head] + lines }
    return [head + first.dropFirst(head.count)] + lines.dropFirst()
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
