import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportRelationTests {
  private static let schema = """
    CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> 'bad'));
    CREATE TABLE message(
      id INTEGER PRIMARY KEY, text TEXT CHECK (text <> 'bad'), sender INTEGER REFERENCES user(id));
    CREATE TABLE attachment(message INTEGER NOT NULL REFERENCES message(id), url TEXT NOT NULL,
      PRIMARY KEY (message, url));
    CREATE TABLE channel(id TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE member(channel TEXT NOT NULL REFERENCES channel(id),
      user INTEGER NOT NULL REFERENCES user(id),
      PRIMARY KEY (channel, user)) WITHOUT ROWID;
    """

  private static let message = TableMapping(
    "message",
    relations: [
      .object("user", "user", foreignKey: ["sender"]),
      .array("attachments", TableMapping("attachment", columns: ["url": "$"]), parentKey: ["message"]),
    ])

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

  @Test func `a nested object becomes a row and a foreign key, a nested array child rows`() throws {
    let bench = try bench()
    let text = #"[{"user": {"id": 7, "name": "Ada"}, "id": 1, "text": "hi", "attachments": ["a", "b"]}]"#
    for _ in 0..<2 { try bench.run(text, mapping: ImportMapping(Self.message), pieces: 10) }
    #expect(try bench.rows("SELECT * FROM user") == ["7|Ada"])
    #expect(try bench.rows("SELECT * FROM message") == ["1|hi|7"])
    #expect(try bench.rows("SELECT * FROM attachment") == ["1|a", "1|b"])
  }

  @Test func `a recurring nested object is processed once`() throws {
    let bench = try bench()
    let messages = (1...100).map { #"{"id": \#($0), "user": {"id": \#($0 % 5), "name": "u"}}"# }
    let report = try bench.run("[\(messages.joined(separator: ","))]", mapping: ImportMapping(Self.message))
    #expect(report.tables["user"]?.inserted == 5 && report.tables["user"]?.unchanged == 95)
    // At most a lookup and an insertion for each distinct row, not for each of the 200 objects.
    #expect(report.statements <= 2 * 105)
  }

  @Test func `a bare key references its object, and null references no row`() throws {
    let bench = try bench()
    try bench.run(#"[{"id": 1, "name": "Ada"}]"#, mapping: ImportMapping("user"))
    try bench.run(
      #"[{"id": 1, "user": 1}, {"id": 2, "user": null}, {"id": 3}]"#, mapping: ImportMapping(Self.message))
    #expect(try bench.rows("SELECT id, sender FROM message") == ["1|1", "2|NULL", "3|NULL"])
  }

  @Test func `a bad row is not written in part: its nested rows are not kept`() throws {
    let bench = try bench()
    let report = try bench.collect(
      """
      [{"id": 1, "text": "bad", "user": {"id": 1, "name": "x"}, "attachments": ["a"]},
       {"id": 2, "text": "ok", "user": {"id": 2, "name": "bad"}, "attachments": ["a"]},
       {"id": "q", "user": {"id": 3, "name": "x"}},
       {"id": 4, "text": "ok", "user": {"id": 1, "name": "x"}, "attachments": ["a", {"no": 1}]}]
      """, mapping: ImportMapping(Self.message))
    #expect(try bench.rows("SELECT * FROM user") == ["1|x"])
    #expect(try bench.rows("SELECT id, sender FROM message") == ["4|1"])
    #expect(try bench.rows("SELECT * FROM attachment") == ["4|a"])
    #expect(report.issues.map(\.code) == [.check, .check, .typeMismatch, .missingKey])
    #expect(report.issues.map(\.table) == ["message", "user", "message", "attachment"])
    #expect(report.tables["user"]?.inserted == 1)
  }

  @Test func `a row rejected with its referenced object is not deleted as missing`() throws {
    let bench = try bench()
    try bench.run(#"[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]"#, mapping: ImportMapping("message"))
    let relations: [RelationMapping] = [.object("user", "user", foreignKey: ["sender"])]
    let report = try bench.collect(
      #"[{"id": 1, "user": {"id": 9, "name": "bad"}}]"#,
      mapping: ImportMapping(TableMapping("message", relations: relations, mode: .mergeAndDeleteMissing)))
    #expect(try bench.rows("SELECT id, text, sender FROM message") == ["1|a|NULL"])
    #expect(report.tables["message"]?.rejected == 1)
  }

  @Test func `rows may reference later rows, and each other in a circle`() throws {
    let bench = try ImportBench(
      "CREATE TABLE node(id INTEGER PRIMARY KEY, next INTEGER NOT NULL REFERENCES node(id))")
    try bench.run(
      #"[{"id": 1, "next": 2}, {"id": 2, "next": 3}, {"id": 3, "next": 1}, {"id": 4, "next": 4}]"#,
      mapping: ImportMapping("node"))
    #expect(try bench.rows("SELECT count(*) FROM node") == ["4"])
  }
}
