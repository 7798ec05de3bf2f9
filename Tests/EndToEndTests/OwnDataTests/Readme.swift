import Foundation

enum Readme {
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Returns the only fenced block of a language that contains a text.
  static func block(_ language: String, containing text: String) throws -> String {
    let readme = try String(contentsOfFile: "\(package)/README.md", encoding: .utf8)
    let blocks = readme.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
    let found = blocks.filter { $0.contains(text) }
    guard found.count == 1 else { throw Missing(language: language, text: text, count: found.count) }
    return found[0] + "\n"
  }

  struct Missing: Error {
    let language: String
    let text: String
    let count: Int
  }
}
