import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct ExportCommandTests {
  @Test func `each reachable version is exported to a file with its rows`() throws {
    let deployment = try OperatedDeployment()
    for version in 1...OperatedDeployment.versions {
      let file = "version-\(version).sqlite"
      let outcome = try deployment.seedbank("export", "--version", "\(version)", "--to", file).expect(0)
      #expect(outcome.output.hasPrefix("my/1: version \(version) of model 1.0 is in "))
      let rows = try Tool.sqlite(
        deployment.folder(file),
        "PRAGMA integrity_check; SELECT name FROM shop WHERE id = 1; SELECT count(*) FROM shop")
      #expect(rows == "ok\nname \(version)\n\(version)\n")
    }
    try deployment.origin("UPDATE shop SET name = 'another'")
    let different = try deployment.seedbank("diff", "version-2.sqlite", "version-3.sqlite")
    #expect(different.output == "shop: 1 inserted, 1 updated, 0 deleted\n")
  }

  @Test func `without --version, export takes the newest version and names it in JSON`() throws {
    let deployment = try OperatedDeployment()
    let line = try #require(try deployment.json("export", "my", "--to", "newest.sqlite").first)
    #expect(line["series"]?.string == "my/1" && line["version"]?.integer == OperatedDeployment.versions)
    #expect(line["model"]?.string == "1.0")
    let attributes = try FileManager.default.attributesOfItem(atPath: deployment.folder("newest.sqlite"))
    #expect(line["bytes"]?.integer == attributes[.size] as? Int)
  }

  @Test func `the file has the indexes that snapshots leave to clients`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.succeed("model", "new")
    let schema = deployment.folder("seedbank/my/models/1.1/schema.sql")
    let text = try String(contentsOfFile: schema, encoding: .utf8)
    try "\(text)\nCREATE INDEX shop_name ON shop(name);\n".write(
      toFile: schema, atomically: false, encoding: .utf8)
    try deployment.configure("\"indexes\": \"client\"")
    #expect(try deployment.seedbank("export", "--to", "all.sqlite").status == 0)
    let names = try Tool.sqlite(
      deployment.folder("all.sqlite"),
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'shop_name'")
    #expect(names == "shop_name\n")
  }

  @Test func `a failed export leaves no files`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.write("mine", to: "taken")
    try deployment.seedbank("export", "--to", "taken").expect(64, "already exists")
    #expect(try deployment.folder.text("taken") == "mine")
    try deployment.seedbank("export", "--version", "9", "--to", "nine.sqlite").expect(
      65, "There is no version 9 of my/1: the newest is 3")
    let away = try deployment.seedbank("export", "--to", "nowhere/file.sqlite").expect(
      74, "nowhere/file.sqlite")
    #expect(!away.errors.contains("TMPDIR"), "\(away.errors)")
    try deployment.seedbank("export", "yours", "--to", "yours.sqlite").expect(64, "yours")
    let names = try FileManager.default.contentsOfDirectory(atPath: deployment.folder.path)
    #expect(Set(names) == ["my.sqlite", "seedbank", "taken"])
  }

  @Test func `a full disk of the destination is named`() throws {
    let (deployment, injector) = (try OperatedDeployment(), try FaultInjector())
    let (export, name) = (["export", "--to", "full.sqlite"], "full.sqlite")
    let count = try injector.count(export, on: name, in: deployment.folder.path)
    try Folder.remove(deployment.folder(name))
    // The last operation removes the draft, which is gone by then.
    for point in FaultInjector.points(count - 1, sample: 5) {
      let outcome = try injector.run(export, .diskStaysFull, at: point, on: name, in: deployment.folder.path)
      #expect(outcome.status == 74 && outcome.errors.contains(name), "\(point): \(outcome)")
      #expect(!outcome.errors.contains("name another folder"), "\(point): \(outcome)")
    }
    #expect(!deployment.folder.exists(name))
  }
}
