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

extension Unicode.Scalar {
  /// Whether a terminal interprets it instead of showing it: controls, and marks that reorder a line.
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// With a full stop unless it ends a sentence, also after another program's message.
  var closed: String { [".", "?", "!", "…"].contains { hasSuffix($0) } ? self : self + "." }

  /// Without a full stop, for the middle of a sentence.
  var unclosed: String { hasSuffix(".") ? String(dropLast()) : self }

  /// On one line and harmless on a terminal; for all external text in messages.
  var printable: String { escapingControls(except: []) }

  /// ``printable``, and short enough for a sentence.
  var clipped: String {
    let longest = 80
    return count <= longest ? printable : "\(String(prefix(longest)).printable)…"
  }

  func cut(toColumns columns: Int) -> String {
    var used = 0
    return String(
      prefix { character in
        used += character.columns
        return used <= columns
      })
  }

  /// The most columns that it may take.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Controls as `\u{1B}`, except those in `kept`.
  func escapingControls(except kept: Set<Unicode.Scalar>) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && !kept.contains($0) }) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      let isHarmless = !scalar.isControl || kept.contains(scalar)
      let escape = "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      text += (isHarmless ? String(scalar) : escape).unicodeScalars
    }
    return String(text)
  }

  /// Escapes controls in JSON: they can occur only in strings, and `\u009b` is equivalent.
  var escapingControlsInJSON: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isControl, scalar.value >= 0x7F else { return text.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

extension Character {
  /// Non-ASCII characters may take two columns.
  fileprivate var columns: Int { isASCII ? 1 : 2 }
}
