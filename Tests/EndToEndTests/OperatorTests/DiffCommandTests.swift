import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

@Suite struct DiffCommandTests {
  @Test func `diff compares published versions, with rows on request`() throws {
    let deployment = try OperatedDeployment()
    let rows = try deployment.folder.succeed("diff", "1", "3", "--rows")
    #expect(
      rows == """
        ~ shop id=1  name: "name 1" → "name 3"
        + shop id=2  name: "x", rank: NULL
        + shop id=3  name: "x", rank: NULL
        shop: 2 inserted, 1 updated, 0 deleted

        """)
    let lines = try deployment.json("diff", "3", "2", "--rows")
    try #require(lines.count == 3)
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

  @Test func `diff rejects files and versions that do not exist or are not snapshots`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.sqlite("bare.sqlite", "CREATE TABLE gone(id); DROP TABLE gone")
    for (words, status) in [
      ("bare.sqlite bare.sqlite", 65), ("1 9", 65), ("my.sqlite seedbank/root.json", 65),
      ("my.sqlite none.sqlite", 74), ("1", 64), ("1 2 --dataset your", 64), ("1 2 --series 7", 64),
    ] as [(String, Int32)] {
      let command = ["diff"] + words.split(separator: " ").map(String.init)
      try SeedbankBinary.run(command, in: deployment.folder.path).expect(status)
    }
    try deployment.folder.write([0x1F, 0x8B, 0x08], to: "cut.gz")
    try deployment.seedbank("diff", "my.sqlite", "cut.gz").expect(65, "/cut.gz: the compressed content ends")
  }
}
