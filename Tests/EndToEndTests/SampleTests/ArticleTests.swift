import Foundation
import Support
import Testing

/// Compiles and runs every example of the articles with the public interface.
@Suite(.serialized, .full) struct ArticleTests {
  private static let articles = ["Client", "Recipes", "Testing"]
  private static let driver = "\(Readme.package)/Tests/EndToEndTests/RecipeDriver/main.swift"
  private static let sample = "\(Readme.package)/Examples/timetable"
  /// The folder of a package, kept so that only changes are built again.
  private static let package = "\(Readme.package)/.build/articles"

  @Test func `the examples of the articles run`() throws {
    let articles = try Self.articles.map(Article.init)
    try Self.write(articles)
    let scene = try SampleScene()
    let program = try OutsidePackage(Self.package, program: "articles").program()
    let server = try scene.front()
    let output = try Tool.run([program, server.address, scene.road.folder("shipped"), scene.road.folder.path])
    #expect(Set(output.split(separator: "\n")) == Set(articles.flatMap(\.declared)), "\(output)")
  }

  private static func write(_ articles: [Article]) throws {
    let sources = "\(package)/Sources/articles"
    try Tool.run(["rm", "-rf", "\(package)/Sources"])
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
    for article in articles {
      try article.source.write(toFile: "\(sources)/\(article.name).swift", atomically: false, encoding: .utf8)
    }
    try Tool.run(["cp", driver, sources])
    try Article.models().write(toFile: "\(sources)/SeedModels.swift", atomically: false, encoding: .utf8)
    try Tool.run(["cp", "-r", "\(sample)/Sources/SQLite", "\(package)/Sources/SQLite"])
    try manifest().write(toFile: "\(package)/Package.swift", atomically: false, encoding: .utf8)
  }

  /// Returns the sample app's manifest for the articles, with the other products.
  private static func manifest() throws -> String {
    let product = #".product(name: "SeedClient", package: "seedbank"),"#
    return try String(contentsOfFile: "\(sample)/Package.swift", encoding: .utf8)
      .replacingOccurrences(of: "\"timetable\"", with: "\"articles\"")
      .replacingOccurrences(
        of: product,
        with: ["", "UI", "Testing"].map { product.replacing("SeedClient", with: "SeedClient\($0)") }.joined())
  }
}

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
