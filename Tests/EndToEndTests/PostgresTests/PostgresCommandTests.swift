import Foundation
import SeedFormat
import Support
import Testing

@Suite struct PostgresCommandTests {
  private let folder: TemporaryFolder
  private static let tables = """
    CREATE TABLE shop(id int PRIMARY KEY, name text NOT NULL, opened timestamptz);
    CREATE TABLE product(shop int REFERENCES shop, code varchar(8), price numeric(8, 2), m money, PRIMARY KEY (shop, code));
    CREATE INDEX by_price ON product (price); CREATE INDEX late ON shop (lower(name));
    CREATE UNIQUE INDEX by_name ON shop (name);
    CREATE TABLE note(said text); CREATE MATERIALIZED VIEW sums AS SELECT count(*) FROM shop;
    INSERT INTO shop VALUES (1, 'Tea', '2026-01-02 03:04:05Z'); INSERT INTO product VALUES (1, 'a', 2.50, 1);
    """

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func database(_ sql: String = tables) throws -> PostgresDatabase {
    try PostgresCluster.shared.get().database(sql)
  }

  @Test func `the article on PostgreSQL runs as written`() throws {
    let cluster = try PostgresCluster()
    try TypedArticle("PostgreSQL", variables: ["PGHOST": cluster.folder, "PGUSER": "postgres"]).typeRest()
  }

  @Test func `the article on moving from SQLite runs as written, and devices follow without a snapshot`()
    throws
  {
    let cluster = try PostgresCluster()
    let variables = ["PGHOST": cluster.folder, "PGUSER": "postgres"]
    let article = try TypedArticle("MovingToPostgreSQL", variables: variables)
    try article.typeUntil("Copy the rows to the server")
    try article.type("seedbank serve")
    let pull =
      "seedbank pull \(article.server) --dataset my --model 1.0 --root seedbank/root.json --store phone"
    try article.type(pull)
    try article.typeRest()
    try article.untilHead(3, of: "my")
    #expect(try article.type(pull).contains("my/1: version 2 → 3"))
  }

  @Test func `the article on replicas runs as written`() throws {
    let primary = try PostgresCluster()
    let replica = try PostgresCluster(standbyOf: primary, ["hot_standby_feedback=on"])
    let hosts = ["primary.example": primary.folder, "replica.example": replica.folder]
    try TypedArticle("PostgresReplica", variables: ["PGUSER": "postgres"], hosts: hosts).typeRest()
  }

  @Test func `init makes a deployment of a database, and its changes become versions`() throws {
    let database = try database()
    let made = try folder.seedbank("init", database.url(), "--dataset", "shops").expect(0)
    for words in [
      "Skipped table \"note\": it has no key",
      "Skipped column \"product\".\"m\": its type money is not supported",
      "Skipped index \"late\": only valid btree indexes of columns",
      "Skipped view \"sums\": a materialized view",
    ] { #expect(made.output.contains(words), "\(made.output)") }
    let schema = try folder.text("seedbank/shops/models/1.0/schema.sql")
    for words in [
      "\"price\" TEXT", "PRIMARY KEY (\"shop\", \"code\")\n) WITHOUT ROWID;", "\"id\" INTEGER PRIMARY KEY,",
      "CREATE INDEX \"by_price\"", "CREATE UNIQUE INDEX \"by_name\"",
    ] { #expect(schema.contains(words), "\(schema)") }
    try folder.seedbank("regenerate").expect(0, output: "shops/1: version 1 created, 2 rows")
    try database.run("UPDATE product SET price = 3; INSERT INTO shop VALUES (2, 'Cake', NULL)")
    #expect(try folder.seedbank("regenerate").output.contains("shops/1: version 2"))
    #expect(try folder.seedbank("regenerate").output.contains("unchanged at version 2"))
    #expect(try folder.seedbank("verify").status == 0)
    try folder.seedbank("config", "check").expect(0, output: "nothing is wrong")
    try database.run("ALTER TABLE shop ADD phone text")
    #expect(try folder.seedbank("status").output.contains("has gained the column \"shop\".\"phone\""))
    try folder.seedbank("model", "new").expect(0)
    #expect(try folder.seedbank("regenerate").output.contains("shops/1: version 3"))
  }

  /// Compares with psycopg, an independent PostgreSQL client.
  @Test func `every type of the article's table has the value that psycopg reads`() throws {
    let database = try database(
      """
      CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE TYPE mood AS ENUM ('glad', 'sad');
      CREATE TYPE pair AS (a text, b int); CREATE DOMAIN small AS int CHECK (VALUE < 1000); CREATE TABLE typed AS
      SELECT i AS id, i % 2 = 0 AS bool, (i - 100)::int2 AS int2, (i * 7919 - 500000)::int8 * 100000007 AS int8, i::oid AS oid,
        (i / 7.0)::float4 AS float4, sin(i)::float8 AS float8, round((i * 1.37)::numeric, 2) AS numeric, 'ü' || i AS text,
        ('p' || i)::char(6) AS bpchar, ('C' || i)::citext AS citext, (ARRAY['glad', 'sad'])[1 + i % 2]::mood AS mood,
        md5(i::text)::uuid AS uuid, ('10.0.0.' || i)::inet AS inet, ('10.0.' || i || '.0/24')::cidr AS cidr,
        date '2000-02-28' + i AS date, time '00:00:01' + i * interval '1 minute' AS time,
        timestamptz '2026-03-29 00:30:00.000001+01' + i * interval '1 hour' AS timestamptz,
        timestamp '2026-03-29 00:30:00.5' + i * interval '1 day' AS timestamp, justify_hours(i * interval '1 day 1 hour') AS "interval",
        json_build_object('k', i, 'l', ARRAY[1, i]) AS json, jsonb_build_object('é', i / 4.0, 'n', NULL) AS jsonb,
        ARRAY['a,' || i, NULL, '"'] AS texts, ARRAY[[i, 2], [3, 4]] AS matrix, int4range(i, i + 5) AS int4range,
        decode(md5(i::text), 'hex') AS bytea, CASE WHEN i % 3 = 0 THEN i END AS sparse, i::int4 AS int4, i::small AS small,
        ('n' || i)::name AS name, ('v' || i)::varchar(9) AS varchar, ('<a>' || i || '</a>')::xml AS xml,
        ('08:00:2b:01:02:' || to_char(i % 90, 'FM00'))::macaddr AS macaddr, i::bit(9) AS "bit", ('a.b' || i)::ltree AS ltree,
        ((time '00:00:01' + i * interval '1 minute') || '+02')::timetz AS timetz, ROW('x' || i, i)::pair AS pair,
        hstore('k' || i, CASE WHEN i % 2 = 0 THEN 'v' END) AS hstore,
        int4multirange(int4range(i, i + 2), int4range(i + 9, i + 11)) AS multirange, daterange('2026-01-01', date '2026-01-02' + i) AS daterange,
        CASE i % 3 WHEN 0 THEN 'infinity' WHEN 1 THEN '0044-03-15 BC' ELSE '2026-01-01' END::date AS spelled_date,
        CASE i % 3 WHEN 0 THEN '-infinity' WHEN 1 THEN '0044-03-15 12:00:00+00 BC' ELSE 'infinity' END::timestamptz AS spelled_moment,
        CASE WHEN i % 2 = 0 THEN 'NaN' ELSE 'Infinity' END::numeric AS spelled_numeric, 'NaN'::float8 AS float8_as_text,
        i * 1000003 AS int4_as_text, i AS int4_as_real, (i * 99991)::int8 AS int8_as_text, i::oid AS oid_as_real, i % 2 = 0 AS bool_as_text,
        (i / 7.0)::float4 AS float4_as_text, (i * 1.00)::numeric AS numeric_as_integer, (i * 1.37)::numeric AS numeric_as_real,
        md5(i::text)::uuid AS uuid_as_blob, timestamptz '1969-03-29 00:30:00.000001+01' + i * interval '1 year' AS timestamptz_as_integer,
        timestamptz '2026-03-29 00:30:00.25+01' + i * interval '1 hour' AS timestamptz_as_real,
        timestamp '2026-03-29 00:30:00.5' + i * interval '1 day' AS timestamp_as_integer, i::text AS text_as_integer,
        (i + 0.5)::text AS text_as_real, to_jsonb(i) AS jsonb_as_integer, date '2026-01-01' + i AS date_as_date
      FROM generate_series(1, 200) i;
      ALTER TABLE typed ADD PRIMARY KEY (id)
      """)
    #expect(try folder.seedbank("init", database.url(), "--dataset", "typed").status == 0)
    // Adds other types that a model may give its columns.
    let model = folder("seedbank/typed/models/1.0/schema.sql")
    let schema = try String(contentsOfFile: model, encoding: .utf8)
    let other = schema.replacing(/"(\w+_as_(integer|real|blob|text|date))" \w+/) {
      "\"\($0.1)\" \($0.2.uppercased())"
    }
    #expect(other != schema)
    try other.write(toFile: model, atomically: false, encoding: .utf8)
    let step = try folder.seedbank("regenerate")
    #expect(step.output.contains("version 1 created, 200 rows"), "\(step.output)\(step.errors)")
    let said = try Tool.run([
      Tool.python, "\(Readme.package)/Tests/EndToEndTests/PostgresTests/psycopg_values.py", database.url(),
      folder("seedbank/state/typed-1.sqlite"),
    ])
    #expect(said == "200 rows of 60 columns are equal\n")
  }

  @Test func `--tables publishes only the named tables`() throws {
    let url = try database().url()
    #expect(try folder.seedbank("init", url, "--tables", "shop", "--dataset", "shops").status == 0)
    let first = try folder.seedbank("regenerate")
    #expect(first.output.contains("version 1 created, 1 row,"), "\(first.output)\(first.errors)")
    try folder.seedbank("init", url, "--tables", "shop,nothing", "--dataset", "more").expect(
      78, "has no table \"nothing\"")
    #expect(try folder.seedbank("init", "my.sqlite", "--tables", "shop").status == 64)
  }

  @Test func `a password is rejected in arguments and files, and never shown`() throws {
    let secret = "pw\(UInt32.random(in: 0...UInt32.max))"
    let database = try database()
    try database.run("CREATE ROLE guarded LOGIN")
    let url = database.url(user: "guarded", password: secret)
    let given = try folder.seedbank("init", url, "--dataset", "shops")
    #expect(
      given.status == 64 && given.errors.contains("PGPASSWORD") && !given.errors.contains(secret),
      "\(given.errors)")
    #expect(try folder.seedbank("init", database.url(), "--dataset", "shops").status == 0)
    let file = folder("seedbank/shops/dataset.json")
    let good = try String(contentsOfFile: file, encoding: .utf8)
    try good.replacing(database.url(), with: url).write(toFile: file, atomically: false, encoding: .utf8)
    let kept = try folder.seedbank("regenerate").expect(78, "SEEDBANK_DATASETS_SHOPS_ORIGIN_POSTGRES")
    #expect(!kept.errors.contains(secret))
    try good.write(toFile: file, atomically: false, encoding: .utf8)
    let environment = ["SEEDBANK_DATASETS_SHOPS_ORIGIN_POSTGRES": url]
    for arguments in [
      ["config", "show"], ["config", "check"], ["regenerate"], ["status"], ["run", "--port", "x"],
    ] {
      let outcome = try SeedbankBinary.run(arguments, environment: environment, in: folder.path)
      #expect(!(outcome.output + outcome.errors).contains(secret), "\(arguments)")
    }
    try folder.seedbank("regenerate", environment: environment).expect(78, "password authentication failed")
  }

  @Test func `an unreachable server, a missing privilege and bad rows have their exit codes`() throws {
    let database = try database()
    #expect(try folder.seedbank("init", database.url(), "--dataset", "shops").status == 0)
    func regenerate(_ url: String) throws -> ProgramOutcome {
      try folder.seedbank("regenerate", environment: ["SEEDBANK_DATASETS_SHOPS_ORIGIN_POSTGRES": url])
    }
    #expect(try regenerate("postgres:///x?host=/nowhere").status == 69)
    try database.run("CREATE ROLE r_\(database.name) LOGIN")
    try regenerate(database.url(user: "r_\(database.name)")).expect(
      78, #"GRANT SELECT ON \"public\".\"product\" TO"#)
    try folder.write(
      "SELECT 1 AS id, NULL AS name, NULL AS opened, FROM shop", to: "seedbank/shops/models/1.0/shop.sql")
    try regenerate(database.url()).expect(78, "shop.sql:1: syntax error")
    try folder.write("SELECT id, NULL AS name, opened FROM shop", to: "seedbank/shops/models/1.0/shop.sql")
    try regenerate(database.url()).expect(65, "NOT NULL constraint failed: shop.name")
    #expect(try regenerate("mysql://h/x").status == 78)
  }

  @Test func `a log is announced, made, used, checked and removed`() throws {
    let database = try database()
    func logs() throws -> String {
      try database.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'seedbank'")
    }
    #expect(try folder.seedbank("init", database.url(), "--dataset", "shops").status == 0)
    #expect(try folder.seedbank("regenerate").status == 0)
    let told = try folder.seedbank("origin", "log", "setup")
    for words in [
      "  product  by shop, code", "  shop  by id", "With --yes, the tables listed first get a log",
    ] {
      #expect(told.status == 0 && told.output.contains(words), "\(told.output)\(told.errors)")
    }
    let printed = try folder.seedbank("origin", "log", "setup", "--print")
    #expect(try logs() == "0\n")
    let made = try folder.seedbank("origin", "log", "setup", "--yes")
    #expect(try made.status == 0 && logs() == "1\n", "\(made.errors)")
    try folder.seedbank("origin", "log", "setup", "--yes").expect(78, "already has a log")
    try database.run("UPDATE shop SET name = 'first' WHERE id = 1")
    #expect(try folder.seedbank("regenerate").output.contains("version 2"))
    try database.run("UPDATE shop SET name = 'by log' WHERE id = 1")
    #expect(try folder.seedbank("regenerate").output.contains("version 3"))
    #expect(try folder.seedbank("status").output.contains("found by log"))
    let check = try folder.seedbank("config", "check")
    #expect(check.output.contains("nothing is wrong"), "\(check.output)\(check.errors)")
    try database.run("ALTER TABLE shop DISABLE TRIGGER seedbank_insert")
    let off = try folder.seedbank("config", "check")
    #expect((off.output + off.errors).contains("no longer watches \"shop\""), "\(off.output)\(off.errors)")
    try database.run("ALTER TABLE shop RENAME name TO label")
    let lacking = try folder.seedbank("config", "check").expect(78)
    let words = lacking.output + lacking.errors
    #expect(words.contains("lacks the column \"name\"") && !words.contains("may change without"), "\(words)")
    try database.run("ALTER TABLE shop RENAME label TO name")
    #expect(try folder.seedbank("origin", "log", "remove", "--yes").status == 0)
    #expect(try logs() == "0\n")
    // The printed SQL makes the same log.
    try database.run(printed.output)
    #expect(try logs() == "1\n")
    let secret = try folder.seedbank("origin", "log", "remove", "--owner", "postgres://u:SECRET@h/d")
    #expect(secret.status == 64 && !secret.errors.contains("SECRET"), "\(secret.errors)")
  }

  @Test(.full) func `no message shows a password, whatever its characters`() throws {
    try folder.succeed("init", database().url(), "--dataset", "shops")
    for rest in [
      "u:SECRET/x@h/d", "u:SECRET%x@h/d", "u:SECRET?x@h/d", "u:SECRET@x@h/d", "h/d?Password=SECRET",
      "h/d?passwd=SECRET", "u:SECRET%00@h/d", "u:SECRET@h/d", "h/d?password=SECRET", "u:12/SECRET@h/d",
    ] {
      let named = try folder.seedbank("init", "postgres://\(rest)", "-d", "other")
      #expect(named.status == 64 && !named.errors.contains("SECRET"), "\(rest): \(named.errors)")
      for command in [["config", "show"], ["regenerate"], ["status", "--check"], ["status", "--history"]] {
        let outcome = try SeedbankBinary.run(
          command, environment: ["SEEDBANK_DATASETS_SHOPS_ORIGIN_POSTGRES": "postgres://\(rest)"],
          in: folder.path)
        #expect(!(outcome.output + outcome.errors).contains("SECRET"), "\(rest): \(outcome)")
      }
    }
  }
}
