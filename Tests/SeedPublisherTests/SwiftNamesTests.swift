import SeedFormat
import Support
import Testing

@testable import SeedPublisher

@Suite struct SwiftNamesTests {
  @Test(arguments: [
    ("my-shop", "myShop"), ("a-1-b", "a1B"), ("default", "`default`"), ("self", "`self`"), ("in", "`in`"),
    ("in-it", "inIt"), ("x--y", "xY"),
  ])
  func `a dataset's name becomes a Swift identifier`(dataset: String, identifier: String) throws {
    let schema = try SHA256Digest(hex: String(repeating: "0a", count: 32))
    let text = try swiftDeclaration(DatasetName(dataset), "2.1", schema: schema)
    #expect(text.contains("static let \(identifier) = SeedModel("))
  }
}
