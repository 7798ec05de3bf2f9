import Foundation

/// An article's examples that compile on Linux, as one file.
struct Article {
  let name: String
  let source: String

  /// How examples begin that need more than this package's tests have.
  private static let foreign = ["// On Apple's systems.", "// With GRDB."]

  init(_ name: String) throws {
    self.name = name
    let path = "\(Readme.package)/Sources/SeedClient/SeedClient.docc/\(name).md"
    let blocks = try String(contentsOfFile: path, encoding: .utf8)
      .components(separatedBy: "\n```swift\n").dropFirst().compactMap {
        $0.components(separatedBy: "\n```").first
      }
    source =
      blocks.filter { block in !Self.foreign.contains { block.hasPrefix($0) } }.joined(separator: "\n\n")
      + "\n"
  }

  /// What the examples declare for others to use.
  var declared: [Substring] {
    source.split(separator: "\n").compactMap { line in
      for word in ["func ", "@MainActor @Observable final class "] where line.hasPrefix(word) {
        return line.dropFirst(word.count).prefix { $0.isLetter }
      }
      return nil
    }
  }
}
