import Foundation

/// The Swift examples of an article that compile on Linux, as one file.
struct Article {
  let name: String
  let source: String

  /// First lines of examples that need other platforms or packages.
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

  /// The sample's model without its row types, which the articles declare themselves.
  static func models() throws -> String {
    let path = "\(Readme.package)/Examples/timetable/Sources/timetable/SeedModels.swift"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return String(text[..<(text.range(of: "\n/// A row")?.lowerBound ?? text.endIndex)])
  }

  /// The functions and classes that the examples declare.
  var declared: [Substring] {
    source.split(separator: "\n").compactMap { line in
      for word in ["func ", "@MainActor func ", "@MainActor @Observable final class "]
      where line.hasPrefix(word) {
        return line.dropFirst(word.count).prefix { $0.isLetter }
      }
      return nil
    }
  }
}
