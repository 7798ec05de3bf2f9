import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite("The command template")
struct TemplateCommandTests {
  private let folder: TemporaryFolder

  /// Makes an empty store of a small model, as SeedTemplateTests do.
  init() throws {
    folder = try TemporaryFolder()
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let script = tests.appending(path: "SeedTemplateTests/make_store.py")
    let model = """
      {"entities": [{"name": "Stop", "attributes": [{"name": "name", "type": 700}],
        "relationships": [{"name": "line", "to": "Line", "inverse": "stops"}]},
       {"name": "Line", "relationships": [{"name": "stops", "to": "Stop", "inverse": "line", "many": true}]}]}
      """
    try Data(model.utf8).write(to: URL(filePath: folder("model.json")))
    let output = try python(
      String(contentsOf: script, encoding: .utf8), [folder("App.store"), folder("model.json")])
    #expect(output == "")
  }

  private func run(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, in: folder.path)
  }

  @Test("an empty store is checked, described, extracted and inspected")
  func whole() throws {
    let check = try run("template", "check", "App.store")
    #expect(check.status == 0)
    #expect(check.output.contains("2 entities in 2 tables"))
    let text = try run("template", "describe", "App.store")
    #expect(text.output.contains("  name: string, optional → ZSTOP.ZNAME"))
    #expect(text.output.contains("  line: one Line → ZSTOP.ZLINE"))
    let described = try JSONValue(
      parsing: Array(run("template", "describe", "App.store", "--json").output.utf8.dropLast()))
    #expect(described["entities"]?.elements?.count == 2)
    #expect(described["tables"]?.elements?.first?["name"]?.string == "ZLINE")
    let extracted = try run("template", "extract", "App.store", "--to", "template.sqlite", "--json")
    #expect(extracted.status == 0)
    let inspected = try run("inspect", "template.sqlite", "--json")
    let kind = try JSONValue(parsing: Array(inspected.output.utf8.dropLast()))
    #expect(kind["kind"]?.string == "template" && kind["checksum"] == described["checksum"])
  }

  @Test("a store with rows can be described, but neither checked nor extracted")
  func filled() throws {
    try Connection(folder("App.store"), .writer)
      .execute("INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1)")
    #expect(try run("template", "describe", "App.store").status == 0)
    let check = try run("template", "check", "App.store")
    #expect(check.status == 65)
    #expect(check.errors.contains("ZSTOP: the store has rows; let the app make a new, empty store"))
    #expect(try run("template", "extract", "App.store", "--to", "template.sqlite").status == 65)
    #expect(!FileManager.default.fileExists(atPath: folder("template.sqlite")))
  }

  @Test("extract requires a new file, and other actions take no file")
  func destination() throws {
    let missing = try run("template", "extract", "App.store")
    #expect(missing.status == 64 && missing.errors.contains("--to"))
    let taken = try run("template", "extract", "App.store", "--to", "model.json")
    #expect(taken.status == 64 && taken.errors.contains("is there already"))
    #expect(try run("template", "check", "App.store", "--to", "x.sqlite").status == 64)
    #expect(try run("template", "check", "nowhere.store").status == 74)
    #expect(try run("template", "check", "model.json").status == 65)
  }
}
