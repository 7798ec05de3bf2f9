import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedPublisher

@Suite struct SwiftSnippetTests {
  private func snippet(_ dataset: DatasetName) throws -> SwiftSnippet {
    let schema = try SHA256Digest(hex: String(repeating: "0a", count: 32))
    return SwiftSnippet(dataset: dataset, model: "2.1", schema: schema)
  }

  private func table(_ sql: String) throws -> TableSchema { try SchemaReader.schema(of: sql).tables[0] }

  @Test func `the generated program is complete`() throws {
    let stop = try table("CREATE TABLE stop(id TEXT PRIMARY KEY, name, lat, lon, zone)")
    let text = try snippet("transit").program(
      server: "http://127.0.0.1:8080", root: "/srv/root.json", table: stop)
    #expect(
      text == """
        import Foundation
        import SeedClient

        nonisolated extension SeedModel {
          static let transit = SeedModel(
            dataset: "transit", version: "2.1",
            schema: "\(String(repeating: "0a", count: 32))")
        }

        /// A row of the table stop.
        nonisolated struct Stop: Decodable, Hashable, Sendable, Identifiable {
          let id: String
          let name: SeedValue
          let lat: SeedValue
          let lon: SeedValue
        }

        let root = try Data(contentsOf: URL(fileURLWithPath: "/srv/root.json"))
        let seeds = try SeedStore(.transit, server: URL(string: "http://127.0.0.1:8080")!, root: root)
        Task {
          do { try await seeds.keepUpdated(onFailure: { print($0) }) } catch { print(error) }
        }
        // Yields once now, and again after every change.
        for try await rows in seeds.observe(#"SELECT "id", "name", "lat", "lon" FROM "stop" ORDER BY "id" LIMIT 5"#, as: Stop.self) {
          print(rows)
        }
        """)
  }

  @Test(arguments: [
    ("my-shop", "myShop"), ("a-1-b", "a1B"), ("default", "`default`"), ("self", "`self`"), ("in", "`in`"),
    ("in-it", "inIt"), ("x--y", "xY"),
  ])
  func `a dataset's name becomes a Swift identifier`(dataset: String, identifier: String) throws {
    let text = try snippet(DatasetName(dataset)).declaration
    #expect(text.contains("static let \(identifier) = SeedModel("))
  }

  @Test(arguments: [
    ("plain", #""plain""#), ("a \"b\"", ##"#"a "b""#"##), ("a \"# b", ###"##"a "# b"##"###),
    ("back\\slash", ##"#"back\slash"#"##), ("\\#(x)", ###"##"\#(x)"##"###), ("a\nb\"", #""a\nb\"""#),
    ("größe", #""größe""#),
  ])
  func `any text becomes a Swift literal`(text: String, literal: String) {
    #expect(swiftLiteral(text) == literal)
  }

  @Test func `odd names are quoted for SQL and Swift`() throws {
    let odd = try table("CREATE TABLE \"a \"\"#b\"(\"x y\" INTEGER, k TEXT, PRIMARY KEY(k, \"x y\"))")
    let text = try snippet("a").program(server: "http://[::1]:80", root: "/tmp/a \"b\"/root.json", table: odd)
    #expect(text.contains(##"URL(fileURLWithPath: #"/tmp/a "b"/root.json"#)"##))
    let query = ###"##"SELECT "k", "x y" FROM "a ""#b" ORDER BY "k", "x y" LIMIT 5"##"###
    #expect(text.contains(query))
  }

  @Test func `the example uses the table with the shortest key and another column`() throws {
    let schema = try SchemaReader.schema(
      of: """
        CREATE TABLE a(x, y, z, PRIMARY KEY(x, y));
        CREATE TABLE b(x INTEGER PRIMARY KEY);
        CREATE TABLE c(x PRIMARY KEY, y);
        """)
    #expect(SwiftSnippet.example(among: schema.tables)?.name == "c")
    #expect(SwiftSnippet.example(among: []) == nil)
  }
}
