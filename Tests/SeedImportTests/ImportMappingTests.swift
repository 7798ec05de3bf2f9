import SeedFormat
import SeedImport
import Support
import Testing

/// Mappings that contradict themselves or the database, which are rejected before the first row.
@Suite struct ImportMappingTests {
  private static let schema = """
    CREATE TABLE film(id INTEGER PRIMARY KEY, code TEXT, rank INTEGER);
    CREATE TABLE person(id INTEGER PRIMARY KEY, kind TEXT, lang TEXT, film INTEGER REFERENCES film(id));
    CREATE TABLE part(film INTEGER, person INTEGER, PRIMARY KEY (film, person));
    CREATE TABLE two(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE trio(f, a, b, PRIMARY KEY (f, a, b)) WITHOUT ROWID;
    """

  private static func film(_ relations: RelationMapping...) -> [ImportMapping.List] {
    [.init(TableMapping("film", relations: relations))]
  }

  private static func people(
    _ first: [String: SeedValue], _ second: [String: SeedValue]
  ) -> [ImportMapping.List] {
    let relations = [("actors", first), ("others", second)].map { member, constants in
      RelationMapping.array(
        MemberPath(member), TableMapping("person", constants: constants), parentKey: ["film"],
        mode: .replaceForParent)
    }
    return [.init(TableMapping("film", relations: relations))]
  }

  private static func join(_ kind: String) -> RelationMapping {
    .join(
      MemberPath(kind), TableMapping("person", constants: ["kind": .text(kind)]), through: "part",
      parentKey: ["film"], elementKey: ["person"], mode: .replaceForParent)
  }

  private static let cases: [(String, [ImportMapping.List])] = [
    // Tables and columns.
    (#"there is no table "flim", did you mean "film"?"#, [.init("flim")]),
    (
      #"there is no column "codes", did you mean "code"?"#,
      [.init(TableMapping("film", columns: ["codes": "x"]))]
    ),
    (
      #"two names in 'columns' refer to the column "code""#,
      [.init(TableMapping("film", columns: ["code": "a", "CODE": "b"]))]
    ),
    (
      #"two names in 'constants' refer to the column "code""#,
      [.init(TableMapping("film", constants: ["code": .text("a"), "Code": .text("b")]))]
    ),
    (
      #""Code" is in both 'columns' and 'constants'"#,
      [.init(TableMapping("film", columns: ["code": "name"], constants: ["Code": .text("c")]))]
    ),
    ("has no unique index over rank", [.init(TableMapping("film", key: ["rank"]))]),
    // Lists.
    ("overlap with other rows at", [.init("film", rows: "$"), .init("film", rows: "$.a")]),
    ("overlap with other rows at", [.init("film", rows: "a.b"), .init("film", rows: "a")]),
    ("two lists are at $.a", [.init("film", rows: "$.a"), .init("film", rows: "a")]),
    ("two lists are at $.a", [.init("film", rows: "$.a"), .init("person", rows: "$.a")]),
    (
      "two lists are at $.a",
      [
        .init("film", rows: "$.a", where: [RowCondition("t", in: [.null])]),
        .init("person", rows: "$.a", layout: .dictionary(keyColumn: "id")),
      ]
    ),
    ("lists must have no path", [.init("film", layout: .lines), .init("person", rows: "a")]),
    ("leads through an array's element", [.init("film", rows: "$.a[0].b")]),
    // Relations.
    (
      "two relations are at $.people",
      film(.array("people", "person", parentKey: ["film"]), .array("people", "part", parentKey: ["film"]))
    ),
    (
      "mode replaceForParent",
      film(.array("people", TableMapping("person", mode: .mergeAndDeleteMissing), parentKey: ["film"]))
    ),
    ("with different values in one column", people([:], ["kind": .text("a")])),
    ("with different values in one column", people(["kind": .text("a")], ["lang": .text("en")])),
    ("with different values in one column", people(["kind": .text("1")], ["KIND": .integer(1)])),
    (
      "use a separate table for each join, or give both the mode merge",
      film(join("actors"), join("directors"))
    ),
    (
      "the names at $.m cannot fill its key, because the key has 2 columns",
      film(
        .join(
          "m", "two", through: "trio", parentKey: ["f"], elementKey: ["a", "b"],
          layout: .dictionary(keyColumn: nil)))
    ),
    (
      "referenced objects cannot have nested rows: map those at",
      [
        .init(
          TableMapping(
            "person",
            relations: [
              .object(
                "film",
                TableMapping("film", relations: [.array("people", "person", parentKey: ["film"])]),
                foreignKey: ["film"])
            ]))
      ]
    ),
  ]

  @Test(arguments: cases)
  func `a mapping that contradicts itself or the database is rejected`(
    words: String, lists: [ImportMapping.List]
  ) throws {
    let failure = try ImportBench(Self.schema).failure("[]", mapping: ImportMapping(lists: lists))
    #expect(
      failure?.code == .mapping && failure?.message.contains(words) == true, "\(failure?.message ?? "")")
  }
}
