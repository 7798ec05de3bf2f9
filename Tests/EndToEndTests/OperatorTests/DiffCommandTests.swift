import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

@Suite struct DiffCommandTests {
  @Test func `diff compares published versions, with rows on request`() throws {
    let deployment = try OperatedDeployment()
    let counts = try deployment.seedbank("diff", "1", "3")
    #expect(counts.status == 0 && counts.output == "shop: 2 inserted, 1 updated, 0 deleted\n")
    let rows = try deployment.seedbank("diff", "1", "3", "--rows")
    #expect(
      rows.output == """
        ~ shop id=1  name: "name 1" → "name 3"
        + shop id=2  name: "x", rank: NULL
        + shop id=3  name: "x", rank: NULL
        shop: 2 inserted, 1 updated, 0 deleted

        """)
    #expect(try deployment.seedbank("diff", "2", "2").output == "shop: the same\n")
  }

  @Test func `diff --json prints a line for each row and a summary`() throws {
    let deployment = try OperatedDeployment()
    let lines = try deployment.json("diff", "3", "2", "--rows")
    #expect(lines.count == 3)
    #expect(lines[0]["key"]?["id"]?.integer == 1 && lines[0]["old"]?["name"]?.string == "name 3")
    #expect(lines[0]["new"]?["name"]?.string == "name 2" && lines[0]["new"]?["rank"] == nil)
    #expect(lines[1]["new"] == .null && lines[1]["old"]?["id"]?.integer == 3)
    #expect(lines[2]["same"]?.bool == false)
    #expect(lines[2]["tables"]?.elements?.first?["deleted"]?.integer == 1)
  }

  @Test func `diff compares files, compressed or not`() throws {
    let deployment = try OperatedDeployment()
    let series = try SeedSeries("my", major: 1)
    let metadata = try #require(try deployment.publication.published().series[series]).metadata
    let snapshot = deployment.publication.file(try #require(metadata.newestSnapshot))
    try Tool.sqlite(
      deployment.folder("other.sqlite"),
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL); INSERT INTO shop VALUES (1, 'name 1', 1.0)"
    )
    let same = try deployment.seedbank("diff", snapshot, "other.sqlite")
    #expect(same.status == 0 && same.output == "shop: the same\n")
    try Tool.run(["xz", "-k", deployment.folder("other.sqlite")])
    try Tool.sqlite(deployment.folder("other.sqlite"), "DELETE FROM shop")
    let packed = try deployment.seedbank("diff", "other.sqlite.xz", "other.sqlite")
    #expect(packed.output == "shop: 0 inserted, 0 updated, 1 deleted\n")
  }

  @Test func `diff rejects a file without tables`() throws {
    let deployment = try OperatedDeployment()
    try Tool.sqlite(deployment.folder("bare.sqlite"), "CREATE TABLE gone(id); DROP TABLE gone")
    #expect(try deployment.seedbank("diff", "bare.sqlite", "bare.sqlite").status == 65)
  }

  @Test func `diff rejects files and versions that do not exist or are no snapshot`() throws {
    let deployment = try OperatedDeployment()
    #expect(try deployment.seedbank("diff", "1", "9").status == 65)
    #expect(try deployment.seedbank("diff", "my.sqlite", "seedbank/root.json").status == 65)
    #expect(try deployment.seedbank("diff", "my.sqlite", "none.sqlite").status == 74)
    #expect(try deployment.seedbank("diff", "1").status == 64)
    #expect(try deployment.seedbank("diff", "1", "2", "--dataset", "your").status == 64)
    #expect(try deployment.seedbank("diff", "1", "2", "--series", "7").status == 64)
  }
}
