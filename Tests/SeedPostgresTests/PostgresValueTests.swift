import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct PostgresValueTests {
  struct Case: CustomStringConvertible, Sendable {
    let value: String
    /// The client's type, and the resulting value.
    let expected: [(type: String, value: SeedValue)]

    var description: String { value }
  }

  private static func text(_ value: String, _ text: String) -> Case {
    Case(value: value, expected: [("TEXT", .text(text))])
  }

  static let cases: [Case] = [
    Case(value: "true", expected: [("INTEGER", .integer(1)), ("TEXT", .text("1")), ("REAL", .real(1))]),
    Case(
      value: "(-7)::int2", expected: [("INTEGER", .integer(-7)), ("TEXT", .text("-7")), ("REAL", .real(-7))]),
    Case(
      value: "2147483647::int4",
      expected: [("INTEGER", .integer(2_147_483_647)), ("", .integer(2_147_483_647))]),
    Case(
      value: "(-9223372036854775808)::int8",
      expected: [
        ("INTEGER", .integer(.min)), ("TEXT", .text("-9223372036854775808")), ("REAL", .real(-0x1p63)),
      ]),
    Case(
      value: "4294967295::oid",
      expected: [("INTEGER", .integer(4_294_967_295)), ("REAL", .real(4_294_967_295))]),
    Case(value: "0.1::float4", expected: [("REAL", .real(0.1)), ("TEXT", .text("0.1"))]),
    Case(
      value: "0.1::float8 + 0.2::float8",
      expected: [("REAL", .real(0.1 + 0.2)), ("TEXT", .text("0.30000000000000004"))]),
    Case(value: "'Infinity'::float8", expected: [("REAL", .real(.infinity)), ("TEXT", .text("Infinity"))]),
    text("'NaN'::float8", "NaN"), text("'NaN'::numeric", "NaN"),
    Case(
      value: "12.50::numeric",
      expected: [
        ("TEXT", .text("12.50")), ("REAL", .real(12.5)), ("NUMERIC", .real(12.5)), ("", .text("12.50")),
      ]),
    Case(
      value: "5.00::numeric",
      expected: [("INTEGER", .integer(5)), ("NUMERIC", .integer(5)), ("REAL", .real(5))]),
    Case(
      value: "123456789012345678901234567890::numeric",
      expected: [
        ("TEXT", .text("123456789012345678901234567890")),
        ("REAL", .real(Double("123456789012345678901234567890")!)),
      ]),
    text("'Zoë ''s'::text", "Zoë 's"), text("''::text", ""), text("'ab'::char(5)", "ab"),
    text("'x'::varchar(3)", "x"),
    text("'n'::name", "n"), text("'<a>ü</a>'::xml", "<a>ü</a>"), text("'A'::mood", "A"),
    text("'CiT'::citext", "CiT"),
    text("'a1b2c3d4-0000-4000-8000-00000000000F'::uuid", "a1b2c3d4-0000-4000-8000-00000000000f"),
    Case(
      value: "'00000000-0000-0000-0000-0000000000ff'::uuid",
      expected: [("BLOB", .blob([UInt8](repeating: 0, count: 15) + [255]))]),
    text("'10.1.0.0/16'::inet", "10.1.0.0/16"), text("'10.0.0.1'::inet", "10.0.0.1"),
    text("'::1'::inet", "::1"), text("'fe80::1/64'::inet", "fe80::1/64"),
    text("'10.1.0.0/16'::cidr", "10.1.0.0/16"),
    text("'08:00:2B:01:02:03'::macaddr", "08:00:2b:01:02:03"), text("B'1010'", "1010"),
    Case(
      value: "'2026-11-22'::date",
      expected: [("TEXT", .text("2026-11-22")), ("DATE", .text("2026-11-22")), ("", .text("2026-11-22"))]),
    Case(
      value: "'12'::text",
      expected: [
        ("INTEGER", .integer(12)), ("REAL", .real(12)), ("NUMERIC", .integer(12)), ("", .text("12")),
      ]),
    Case(value: "'1.5'::text", expected: [("REAL", .real(1.5)), ("NUMERIC", .real(1.5))]),
    Case(value: "'5'::jsonb", expected: [("INTEGER", .integer(5))]),
    text("'infinity'::date", "infinity"),
    text("'0044-03-15 BC'::date", "0044-03-15 BC"), text("'13:05:06.5'::time", "13:05:06.5"),
    text("'13:05:06+02'::timetz", "13:05:06+02"),
    Case(
      value: "'2026-11-22 07:00:00.123456+01'::timestamptz",
      expected: [
        ("TEXT", .text("2026-11-22T06:00:00.123456Z")), ("INTEGER", .integer(1_795_327_200_123_456)),
        ("REAL", .real(1_795_327_200.123456)),
      ]),
    text("'infinity'::timestamptz", "infinity"),
    text("'0044-03-15 12:00:00+00 BC'::timestamptz", "0044-03-15 12:00:00+00 BC"),
    text("'12026-01-02 03:04:05+00'::timestamptz", "12026-01-02T03:04:05.000000Z"),
    Case(
      value: "'2026-11-22 06:00:00'::timestamp",
      expected: [("TEXT", .text("2026-11-22T06:00:00.000000")), ("INTEGER", .integer(1_795_327_200_000_000))]),
    text("'1 month 2 days'::interval", "P1M2D"),
    text("'{\"b\": 1,  \"a\": 2}'::json", "{\"b\": 1,  \"a\": 2}"),
    text("'{\"b\": 1,  \"a\": 2}'::jsonb", "{\"a\": 2, \"b\": 1}"),
    text("ARRAY['a,b', 'c\"', NULL]", "[\"a,b\", \"c\\\"\", null]"),
    text("ARRAY[[1, 2], [3, 4]]", "[[1, 2], [3, 4]]"),
    text("ARRAY['NaN'::float8]", "[\"NaN\"]"), text("ROW('x', 1)::pair", "{\"a\": \"x\", \"b\": 1}"),
    text("'k=>v'::hstore", "{\"k\": \"v\"}"), text("'[1,5)'::int4range", "[1,5)"), text("7::small", "7"),
    text("'{[1,2), [4,6)}'::int4multirange", "{[1,2),[4,6)}"),
    Case(value: "'\\x00ff'::bytea", expected: [("BLOB", .blob([0, 255])), ("TEXT", .blob([0, 255]))]),
    Case(value: "NULL::int", expected: [("INTEGER", .null), ("TEXT", .null)]),
    Case(value: "NULL::timestamptz", expected: [("INTEGER", .null), ("TEXT", .null)]),
  ]

  private static let types = """
    CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE TYPE mood AS ENUM ('b', 'A');
    CREATE TYPE pair AS (a text, b int); CREATE DOMAIN small AS int CHECK (VALUE < 10);
    """

  /// Unusual settings of a database, all at once.
  private static func strange(_ name: String) -> String {
    [
      "datestyle = 'German, DMY'", "timezone = 'Asia/Kolkata'", "intervalstyle = 'postgres_verbose'",
      "bytea_output = 'escape'", "extra_float_digits = 0", "default_transaction_isolation = 'read committed'",
      "search_path = 'pg_catalog'",
    ].map { "ALTER DATABASE \(name) SET \($0);" }.joined()
  }

  @Test func `each type converts as documented under any settings`() throws {
    let database = try PostgresCluster.shared.get().database(Self.types)
    try database.run(Self.strange(database.name))
    let tables = Self.cases.enumerated().map { number, one in
      "CREATE TABLE t\(number) AS SELECT 1 AS id, \(one.value) AS value;"
    }
    try database.run("SET search_path = public; \(tables.joined())")
    let origin = try PostgresOrigin(database.place())
    for (number, one) in Self.cases.enumerated() {
      for (type, expected) in one.expected {
        let version = model("1.0", "CREATE TABLE t\(number)(id INTEGER PRIMARY KEY, value \(type))")
        let plan = try SeriesPlan.plans("test", [version])[0]
        let table = plan.schema.tables[0]
        let rows = try origin.rows(table, plan.projection(table))
        #expect(try rows.next())
        let found = try rows.validRow()[1]
        #expect(found == expected, "\(one.value) as \(type): \(found)")
        #expect(try rows.next() == false)
      }
    }
  }

  @Test func `keys that arrive in the client's order are not sorted again`() throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    let letters = ["a", "A", "b", "Z", "é", "ß", "-", " ", "_", "10", "9", "😀", "z", "Ä", "ä"]
    let words = Set(
      (0..<400).map { _ in
        (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random)! }
          .joined()
      }
    ).sorted()
    let values = words.map { "('\($0)')" }.joined(separator: ", ")
    let keys = [("BINARY", "text"), ("NOCASE", "text"), ("RTRIM", "varchar"), ("BINARY", "citext")]
    let tables = keys.enumerated().map { number, key in
      let kept = ["NOCASE": "lower(w COLLATE \"C\")", "RTRIM": "rtrim(w)"][key.0] ?? "w"
      return
        "CREATE TABLE t\(number) AS SELECT DISTINCT ON (\(kept)) w::\(key.1) AS id FROM (VALUES \(values)) v(w);"
    }
    let schema = keys.enumerated().map { number, key in
      "CREATE TABLE t\(number)(id TEXT COLLATE \(key.0) PRIMARY KEY NOT NULL);"
    }
    let scene = try PostgresScene("CREATE EXTENSION citext; \(tables.joined())", schema.joined())
    let plan = scene.deployment.job.plans[0]
    let found = try plan.schema.tables.map { table in
      let rows = try PostgresOrigin(scene.place).rows(table, plan.projection(table))
      var list: [[SeedValue]] = []
      while try rows.next() { list.append(try rows.validRow()) }
      return list
    }
    try scene.step()
    for (table, rows) in zip(plan.schema.tables, found) {
      #expect(try scene.published(table.name) == rows, "\(table.name), seed \(seed)")
    }
    #expect(try scene.step().outcome == .unchanged, "seed \(seed)")
  }

  @Test func `keys in another order are sorted by the publisher`() throws {
    let scene = try PostgresScene(
      "CREATE TABLE t AS SELECT i::text AS id FROM generate_series(1, 120) i",
      "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try scene.step()
    try scene.database.run("DELETE FROM t WHERE id = '100'; INSERT INTO t VALUES ('1000')")
    #expect(try scene.step().changes["t"].map { [$0.inserted, $0.deleted] } == [1, 1])
    #expect(try scene.published().last == [.integer(1000)])
  }
}
