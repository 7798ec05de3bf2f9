import SeedFormat

enum TextLayout {
  /// The width of help pages, and of terminals with unknown width.
  static let usualWidth = 80
  static let explanationColumn = 26
  private static let continuationIndent = 2

  /// Lines of at most `width` columns; a longer word gets its own line.
  static func wrap(_ text: String, indent: Int = 0) -> [String] {
    wrap(words: text.split { $0 == " " || $0 == "\n" }.map(String.init), indent: indent)
  }

  static func wrap(words: [String], indent: Int = 0, hanging: Int? = nil, width: Int = usualWidth) -> [String]
  {
    var lines: [String] = []
    var line = blank(indent)
    var isEmpty = true
    for word in words {
      if !isEmpty, line.columns + 1 + word.columns > width {
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

  /// Wraps a text for a terminal, with indented continuation lines. A quoted command stays on one line, so that it can
  /// be copied.
  static func fitted(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { fitted(line: String($0), to: width) }.joined(separator: "\n")
  }

  private static func fitted(line: String, to width: Int) -> [String] {
    guard line.columns > width else { return [line] }
    let indent = line.prefix { $0 == " " }.count
    return wrap(words: phrases(in: line), indent: indent, hanging: indent + continuationIndent, width: width)
  }

  private static func phrases(in line: String) -> [String] {
    var (phrases, words) = ([String](), line.split(separator: " ")[...])
    while let word = words.first {
      // An unclosed mark is an apostrophe.
      let end = word.hasPrefix("'") ? words.firstIndex(where: isClosing) : nil
      let phrase = words[...(end ?? words.startIndex)]
      phrases.append(phrase.joined(separator: " "))
      words = words.dropFirst(phrase.count)
    }
    return phrases
  }

  private static func isClosing(_ word: Substring) -> Bool {
    let end = word.dropFirst().reversed().drop { ".,:;)".contains($0) }
    return end.first == "'"
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
