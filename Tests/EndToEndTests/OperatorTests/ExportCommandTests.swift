import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct ExportCommandTests {
  @Test func `each reachable version is exported, and by default the newest, with the clients' indexes`()
    throws
  {
    let deployment = try OperatedDeployment()
    for version in 1...OperatedDeployment.versions {
      let file = "version-\(version).sqlite"
      let printed = try deployment.folder.succeed("export", "--version", "\(version)", "--to", file)
      #expect(printed.hasPrefix("my/1: version \(version) of model 1.0 is in "))
      let rows = try deployment.folder.sqlite(
        file, "PRAGMA integrity_check; SELECT name FROM shop WHERE id = 1; SELECT count(*) FROM shop")
      #expect(rows == "ok\nname \(version)\n\(version)\n")
    }
    let different = try deployment.folder.succeed("diff", "version-2.sqlite", "version-3.sqlite")
    #expect(different == "shop: 1 inserted, 1 updated, 0 deleted\n")
    try publishClientIndex(deployment)
    let line = try #require(try deployment.json("export", "--dataset", "my", "--to", "newest.sqlite").first)
    #expect(line["series"]?.string == "my/1" && line["version"]?.integer == OperatedDeployment.versions + 1)
    #expect(line["model"]?.string == "1.1")
    let attributes = try FileManager.default.attributesOfItem(atPath: deployment.folder("newest.sqlite"))
    #expect(line["bytes"]?.integer == attributes[.size] as? Int)
    let indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'shop_name'"
    #expect(try deployment.folder.sqlite("newest.sqlite", indexes) == "shop_name\n")
  }

  /// Publishes a model with an index that snapshots leave to clients.
  private func publishClientIndex(_ deployment: OperatedDeployment) throws {
    try deployment.folder.succeed("model", "new")
    try deployment.folder.edit("seedbank/my/models/1.1/schema.sql") {
      "\($0)\nCREATE INDEX shop_name ON shop(name);\n"
    }
    try deployment.configure("\"indexes\": \"client\"")
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
    try deployment.seedbank("export", "--dataset", "yours", "--to", "yours.sqlite").expect(64, "yours")
    try deployment.seedbank("export", "my", "--to", "mine.sqlite").expect(64, "Unexpected argument 'my'")
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
      #expect(!outcome.errors.contains("to another folder"), "\(point): \(outcome)")
    }
    #expect(!deployment.folder.exists(name))
  }
}
