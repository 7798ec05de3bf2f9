import SeedFormat
import Support
import Testing

@testable import SeedPublisher

@Suite struct DatasetNameTests {
  @Test(arguments: [
    ("/a/My Shop.sqlite", "my-shop"), ("/a/2024 Städte (neu).db", "stadte-neu"), ("/a/Straße", "strasse"),
    ("/a/日本.sqlite", "data"), ("/a/123.db", "data"), ("/a/keys.db", "keys-data"), ("/a/.db", "data"),
    ("/a/a.b.c", "a-b"), ("/a/--x--.db", "x"),
    (
      "/a/\(String(repeating: "ab ", count: 30)).db",
      String(repeating: "ab-", count: 16).dropLast().description
    ),
  ])
  func `a dataset is named after its file`(file: String, name: String) throws {
    #expect(try DatasetName(forFile: file).text == name)
  }
}
