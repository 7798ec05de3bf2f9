/// Swift source without comments and literal text, but with interpolations. Handles only as much of Swift's lexical
/// structure as finding names requires.
struct SwiftCode {
  private let source: [UInt8]
  private var position = 0
  private var kept: [UInt8] = []

  /// Replaces each comment and each literal's text by a space.
  static func bare(_ text: String) -> [UInt8] {
    var code = SwiftCode(source: Array(text.utf8))
    code.readCode(untilParenthesis: false)
    return code.kept
  }

  private init(source: [UInt8]) {
    self.source = source
  }

  private mutating func readCode(untilParenthesis: Bool) {
    var depth = 0
    while position < source.count {
      // Each further look at a byte is slow in unoptimized code.
      let byte = source[position]
      if byte == UInt8(ascii: "/"), skipsComment() { continue }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), skipsLiteral() { continue }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") {
        if untilParenthesis, depth == 0 { return }
        depth -= 1
      }
      kept.append(byte)
      position += 1
    }
  }

  private mutating func skipsComment() -> Bool {
    if begins("//") {
      while position < source.count, source[position] != UInt8(ascii: "\n") { position += 1 }
    } else if begins("/*") {
      while position < source.count, !begins("*/") { position += 1 }
      position += 2
    } else {
      return false
    }
    kept.append(UInt8(ascii: " "))
    return true
  }

  /// Skips a literal with any number of `#`, of one line or of several.
  private mutating func skipsLiteral() -> Bool {
    var marks = 0
    while position + marks < source.count, source[position + marks] == UInt8(ascii: "#") { marks += 1 }
    guard begins("\"", at: position + marks) else { return false }
    let quotes = begins("\"\"\"", at: position + marks) ? 3 : 1
    position += marks + quotes
    readLiteral(
      end: String(repeating: "\"", count: quotes) + String(repeating: "#", count: marks),
      escape: "\\" + String(repeating: "#", count: marks))
    kept.append(UInt8(ascii: " "))
    return true
  }

  private mutating func readLiteral(end: String, escape: String) {
    let interpolation = escape + "("
    while position < source.count {
      let byte = source[position]
      if byte == UInt8(ascii: "\""), begins(end) { break }
      guard byte == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      if begins(interpolation) {
        position += escape.utf8.count + 1
        kept.append(UInt8(ascii: " "))
        readCode(untilParenthesis: true)
        position += 1
      } else {
        position += begins(escape) ? escape.utf8.count + 1 : 1
      }
    }
    position += end.utf8.count
  }

  private func begins(_ text: String, at place: Int? = nil) -> Bool {
    // Unoptimized code compares slices ten times slower.
    var place = place ?? position
    for byte in text.utf8 {
      guard place < source.count, source[place] == byte else { return false }
      place += 1
    }
    return true
  }
}
