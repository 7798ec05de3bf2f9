import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

@Suite(.bounded) struct ImportPropertyTests {
  private static let schema = """
    CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT, b TEXT, owner INTEGER REFERENCES owner(id));
    CREATE TABLE child(parent INTEGER NOT NULL REFERENCES parent(id), n INTEGER NOT NULL, v TEXT,
      PRIMARY KEY (parent, n)) WITHOUT ROWID;
    """
  private static let mapping = ImportMapping(
    TableMapping(
      "parent",
      relations: [
        .object("owner", "owner", foreignKey: ["owner"]), .array("children", "child", parentKey: ["parent"]),
      ]))

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `random documents lead to the rows that a slow importer finds`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let bench = try ImportBench(Self.schema)
    var reference = ImportReference()
    let policy = ImportPolicy(badRows: .collect, references: .keep)
    var hooks = ImportHooks()
    if seed.isMultiple(of: 2) { hooks.longRowBytes = 8 }
    for round in 0..<25 {
      let document = ImportDocuments.random(&random)
      reference.take(document)
      let pieces = random.pick([3, 64, 100_000])
      try bench.run(
        documents: [document.bytes], mapping: Self.mapping, policy: policy, hooks: hooks,
        pieces: pieces)
      try expectSame(bench, reference, "seed \(seed), round \(round)")
    }
  }

  private func expectSame(_ bench: ImportBench, _ reference: ImportReference, _ place: String) throws {
    let owners = Set(try bench.rows("SELECT * FROM owner"))
    #expect(owners == reference.rows("owner", key: ["id"], columns: ["name"]), "\(place)")
    let parents = Set(try bench.rows("SELECT * FROM parent"))
    #expect(parents == reference.rows("parent", key: ["id"], columns: ["a", "b", "owner"]), "\(place)")
    let children = Set(try bench.rows("SELECT * FROM child"))
    #expect(children == reference.rows("child", key: ["parent", "n"], columns: ["v"]), "\(place)")
  }
}
