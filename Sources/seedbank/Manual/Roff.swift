import Foundation

/// Text in the language of manual pages.
enum Roff {
  /// As it stands: hyphens and quotation marks can be copied into a shell, and no line is taken for a request.
  static func text(_ text: String) -> String {
    let escaped = text.reduce(into: "") { $0 += escapes[$1] ?? String($1) }
    return escaped.hasPrefix(".") ? "\\&\(escaped)" : escaped
  }

  private static let escapes: [Character: String] = [
    "\\": "\\(rs", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
    "…": "...",
  ]

  static func bold(_ text: String) -> String { "\\fB\(self.text(text))\\fR" }

  static func italic(_ text: String) -> String { "\\fI\(self.text(text))\\fR" }

  /// What stands between backticks is bold.
  static func marked(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0 % 2 == 0 ? self.text(String($1)) : bold(String($1)) }.joined()
  }

  static func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [".SH \(title)"] + lines
  }

  /// Paragraphs separated by empty lines.
  static func paragraphs(_ texts: String) -> [String] {
    texts.split(separator: "\n\n").flatMap { [".PP", text(String($0).replacing("\n", with: " "))] }
  }

  /// A term, and its explanation below it, to the right.
  static func entry(_ term: String, _ explanation: String) -> [String] { [".TP", term, explanation] }

  /// Columns of a line to type, to the right of the margins.
  private static let exampleWidth = 68

  /// A line to type; a long one goes on in the next one, as a shell reads it.
  static func example(_ line: String) -> [String] {
    let lines = line.split(separator: "\n").flatMap { continued(String($0)) }
    return [".RS 4", ".nf"] + lines.map(bold) + [".fi", ".RE"]
  }

  private static func continued(_ line: String) -> [String] {
    guard line.count > exampleWidth,
      let option = line.prefix(exampleWidth - 2).range(of: " --", options: .backwards)
    else { return [line] }
    return ["\(line[..<option.lowerBound]) \\", "    \(line[option.lowerBound...].dropFirst())"]
  }
}
