import SeedFormat
import SeedImport
import Support
import Testing

/// Paths to values and to rows.
@Suite struct ImportPathTests {
  @Test(
    arguments: [
      ("$", [], "$"), ("a", [.member("a")], "$.a"), ("$.a.b", [.member("a"), .member("b")], "$.a.b"),
      ("a[0]", [.member("a"), .element(0)], "$.a[0]"),
      ("$[1].x[20]", [.element(1), .member("x"), .element(20)], "$[1].x[20]"),
      ("[\"a.b\"].c", [.member("a.b"), .member("c")], "$[\"a.b\"].c"),
      ("x[\"a[0]\"]", [.member("x"), .member("a[0]")], "$.x[\"a[0]\"]"), ("$x", [.member("$x")], "$.$x"),
    ] as [(String, [MemberPath.Step], String)])
  func `a path consists of names, elements, and names in brackets`(
    text: String, steps: [MemberPath.Step], description: String
  ) {
    #expect(MemberPath(text).steps == steps)
    #expect(MemberPath(text).description == description)
    #expect(MemberPath(description) == MemberPath(text))
  }

  @Test(arguments: ["a[x]", "a[-1]", "$[x]", "a.b[x].c", "a[x.y]", "a[0][]", "a[99999999999999999999]"])
  func `brackets without a number or a quoted name are an error that spells both meanings`(text: String) {
    let error = #expect(throws: InvalidPath.self) { try MemberPath(checking: text) }
    #expect(error?.description.contains("has no number in its brackets: write [0] for an element") == true)
    guard text == "a[x]" else { return }
    let message =
      #""a[x]" has no number in its brackets: write [0] for an element, or ["a[x]"] for a name with brackets"#
    #expect(error?.description == message)
  }

  private static let schema = """
    CREATE TABLE place(id INTEGER PRIMARY KEY, lon REAL, lat REAL, name TEXT, kind TEXT);
    CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT);
    """

  @Test func `columns take elements of arrays and members with dots in their names`() throws {
    let bench = try ImportBench(Self.schema)
    let mapping = ImportMapping(
      TableMapping(
        "place",
        columns: [
          "lon": "geometry.coordinates[0]", "lat": "geometry.coordinates[1]", "name": "[\"name.en\"]",
          "kind": "tags[0].k",
        ]), rows: "$.features")
    let text = """
      {"features": [
        {"id": 1, "geometry": {"coordinates": [13.5, 52, 9]}, "name.en": "B", "tags": [{"k": "x"}, {"k": "y"}]},
        {"id": 2, "geometry": {"coordinates": [1]}, "tags": []}, {"id": 3, "geometry": null, "tags": null}]}
      """
    let report = try bench.run(text, mapping: mapping)
    #expect(
      try bench.rows("SELECT * FROM place") == [
        "1|13.5|52.0|B|x", "2|1.0|NULL|NULL|NULL", "3|NULL|NULL|NULL|NULL",
      ])
    #expect(report.missing.isEmpty)
    let misfit = try bench.collect(
      #"{"features": [{"id": 4, "geometry": {"coordinates": {"0": 1}}}]}"#, mapping: mapping)
    #expect(misfit.issues.first?.message == "expected an array, found {\"0\":1}")
  }

  @Test func `an element that no row has is reported as a missing member`() throws {
    let mapping = ImportMapping(TableMapping("place", columns: ["lon": "at[0]", "lat": "at[2]"]))
    let report = try ImportBench(Self.schema).run(#"[{"id": 1, "at": [1, 2]}]"#, mapping: mapping)
    #expect(report.missing.map(\.member.description) == ["$.at[2]"])
  }

  private static let lists = ImportMapping(lists: [
    .init("user", rows: "$.items", where: [RowCondition("type", in: [.text("user")])]),
    .init(
      TableMapping("place", columns: ["name": "attributes.name", "kind": "type"]), rows: "$.items",
      where: [
        RowCondition("type", in: [.text("stop"), .text("shop")]),
        RowCondition("meta.gone", in: [.null, .integer(0)]),
      ]),
  ])

  @Test(arguments: [7, 100_000])
  func `rows of one array go to the first list whose conditions they meet`(pieces: Int) throws {
    let bench = try ImportBench(Self.schema)
    let text = """
      {"items": [{"type": "user", "id": 1, "name": "A"}, {"type": "stop", "id": 1, "attributes": {"name": "S"}},
        {"type": "shop", "id": 2, "meta": {"gone": false}}, {"type": "shop", "id": 3, "meta": {"gone": true}},
        {"type": "other", "id": 9}, {"id": 10}]}
      """
    let report = try bench.run(documents: [Array(text.utf8)], mapping: Self.lists, pieces: pieces)
    #expect(try bench.rows("SELECT * FROM user") == ["1|A"])
    #expect(try bench.rows("SELECT id, name, kind FROM place") == ["1|S|stop", "2|NULL|shop"])
    #expect(report.rows == 3 && report.unmatchedRows == 3)
  }

  @Test func `conditions that no row meets delete no rows unless that is accepted`() throws {
    let bench = try ImportBench(Self.schema)
    try bench.execute("INSERT INTO user(id) VALUES (1), (2)")
    let mapping = ImportMapping(lists: [
      .init(
        TableMapping("user", mode: .mergeAndDeleteMissing), where: [RowCondition("typ", in: [.text("user")])])
    ])
    let text = #"[{"type": "user", "id": 1}, {"type": "user", "id": 3}]"#
    let failure = bench.failure(text, mapping: mapping)
    #expect(failure?.code == .shrunk)
    #expect(failure?.message.hasPrefix(#"table "user" would go from 2 to 0 rows"#) == true)
    #expect(failure?.message.contains("check the documents and each 'where' of the mapping") == true)
    #expect(failure?.message.contains("--accept-shrink") == true)
    #expect(try bench.rows("SELECT id FROM user") == ["1", "2"])
    try bench.run(text, mapping: mapping, policy: ImportPolicy(acceptsShrink: true))
    #expect(try bench.rows("SELECT id FROM user") == [])
  }

  @Test func `lines may go to several lists, and one list may take the rest`() throws {
    let bench = try ImportBench(Self.schema)
    let mapping = ImportMapping(lists: [
      .init("user", layout: .lines, where: [RowCondition("t", in: [.integer(1)])]),
      .init("place", layout: .lines),
    ])
    try bench.run("{\"t\": 1, \"id\": 5}\n{\"t\": true, \"id\": 6}\n{\"id\": 7}\n", mapping: mapping)
    #expect(try bench.rows("SELECT id FROM user") == ["5", "6"])
    #expect(try bench.rows("SELECT id FROM place") == ["7"])
  }
}
