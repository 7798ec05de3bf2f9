import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportPropertyTests {
  private static let schema = """
    CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT, level INTEGER);
    CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT, b TEXT, state INTEGER, owner INTEGER REFERENCES owner(id));
    CREATE TABLE child(parent INTEGER NOT NULL REFERENCES parent(id), n INTEGER NOT NULL, v TEXT, kind INTEGER,
      PRIMARY KEY (parent, n)) WITHOUT ROWID;
    CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL, color TEXT);
    CREATE TABLE pair(parent INTEGER NOT NULL REFERENCES parent(id), tag TEXT NOT NULL REFERENCES tag(name),
      PRIMARY KEY (parent, tag)) WITHOUT ROWID;
    CREATE TABLE note(parent INTEGER NOT NULL REFERENCES parent(id), k TEXT NOT NULL, v TEXT,
      PRIMARY KEY (parent, k));
    CREATE TABLE mark(parent INTEGER NOT NULL, k TEXT NOT NULL, m TEXT NOT NULL, w TEXT, PRIMARY KEY (parent, k, m),
      FOREIGN KEY (parent, k) REFERENCES note(parent, k));
    """
  private static let tables: [(name: String, key: [String], columns: [String])] = [
    ("owner", ["id"], ["name", "level"]), ("parent", ["id"], ["a", "b", "state", "owner"]),
    ("child", ["parent", "n"], ["v", "kind"]), ("tag", ["name"], ["color"]), ("pair", ["parent", "tag"], []),
    ("note", ["parent", "k"], ["v"]), ("mark", ["parent", "k", "m"], ["w"]),
  ]

  private struct Unlisted: Error {}

  /// Replaces the values that the reference lists.
  private static func listed(otherwise: Int64? = nil) -> ImportConversion {
    .custom { value in
      let spelling = if case .integer(let number) = value { "\(number)" } else { value.textIfAny ?? "" }
      guard let number = ImportReference.numbers[spelling] ?? otherwise else { throw Unlisted() }
      return .integer(number)
    }
  }

  private static let owner = TableMapping("owner", columns: ["level": .from("level", listed())])
  private static let child = TableMapping(
    "child",
    columns: ["kind": .from("kind", listed(otherwise: ImportReference.otherKind))])
  private static let note = TableMapping(
    "note", relations: [.dictionary("marks", "mark", keyColumn: "m", parentKey: ["parent", "k"])])
  private static let tag = TableMapping("tag", columns: ["name": "$"])
  private static let mapping = ImportMapping(
    TableMapping(
      "parent", columns: ["state": .from("state", listed())],
      relations: [
        .object("owner", owner, foreignKey: ["owner"]), .array("children", child, parentKey: ["parent"]),
        .join("tags", tag, through: "pair", parentKey: ["parent"], elementKey: ["tag"]),
        .dictionary("notes", note, keyColumn: "k", parentKey: ["parent"]),
      ]))

  private static let seeds = Array(1...(Stage.pick(quick: 1, full: 8, deep: 200))) as [UInt64]

  @Test(arguments: ImportWay.allCases, seeds)
  func `random documents lead to the same rows as with a slow importer`(way: ImportWay, seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let bench = try ImportBench(way.schema(Self.schema, list: "parent"))
    var reference = ImportReference()
    let policy = ImportPolicy(badRows: .collect, references: .keep)
    for round in 0..<Stage.pick(quick: 15, full: 25, deep: 25) {
      let pages = (0..<random.pick([1, 1, 2, 5])).map { _ in ImportDocuments.random(&random) }
      pages.forEach { reference.take($0) }
      // Each page in its own file, or all pages in one.
      let files = random.chance(50) ? pages.map(\.bytes) : [Array(pages.map(\.bytes).joined())]
      let pieces = random.pick([3, 64, 100_000])
      try bench.run(documents: files, mapping: way.mapping(Self.mapping), policy: policy, pieces: pieces)
      try expectSame(bench, reference, "seed \(seed), round \(round)")
    }
  }

  private func expectSame(_ bench: ImportBench, _ reference: ImportReference, _ place: String) throws {
    for table in Self.tables {
      let columns = (table.key + table.columns).joined(separator: ", ")
      let found = Set(try bench.rows("SELECT \(columns) FROM \(table.name)"))
      let expected = reference.rows(table.name, key: table.key, columns: table.columns)
      try #require(found == expected, "\(place), \(table.name)")
    }
  }
}
