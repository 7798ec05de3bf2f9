import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

@Suite struct OriginOutlineTests {
  private func outline(_ sql: String) throws -> OriginOutline {
    let connection = try Connection("origin", .memory)
    try connection.execute(sql)
    return try OriginOutline(connection)
  }

  private func gain(_ before: String, _ after: String, model: String) throws -> OriginGain {
    OriginGain(
      try outline(before + after), since: try outline(before), without: try SchemaReader.schema(of: model))
  }

  private static let shop = "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);"

  @Test func `an outline lists tables with columns, indexes and views, but none of SQLite's own`()
    throws
  {
    let found = try outline(
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, upper TEXT AS (upper(name)));
      CREATE INDEX by_name ON shop(name); CREATE VIEW names AS SELECT name FROM shop;
      CREATE VIRTUAL TABLE search USING fts5(name);
      """)
    #expect(found.tables == ["shop": ["id", "name", "upper"], "search": []])
    #expect(found.indexes == ["by_name"] && found.views == ["names"])
    #expect(try OriginOutline(JSONValue(parsing: found.json.bytes)).json == found.json)
  }

  @Test func `known or modelled columns are not reported as new in any case`() throws {
    let none = try gain(Self.shop, "INSERT INTO shop VALUES (1, 'x');", model: Self.shop)
    #expect(none.isEmpty)
    let inModel = try gain(
      Self.shop, "ALTER TABLE shop ADD COLUMN Phone; CREATE TABLE PARK(id INTEGER PRIMARY KEY);",
      model: "CREATE TABLE shop(id INTEGER PRIMARY KEY, phone); CREATE TABLE park(ID INTEGER PRIMARY KEY);")
    #expect(inModel.isEmpty)
  }

  @Test func `names that differ in the case of a letter beyond ASCII are different, as in SQLite`() throws {
    let shop = "CREATE TABLE shop(id INTEGER PRIMARY KEY, \"Ä\" TEXT);"
    let after = "ALTER TABLE shop ADD COLUMN \"ä\" TEXT; CREATE TABLE \"Ö\"(a); CREATE TABLE \"ö\"(a);"
    let found = try gain(shop, after, model: shop)
    #expect(found.names == ["Ö", "ö", "shop.ä"])
    #expect(found.parts(named: "ö").names == ["ö"] && found.parts(named: "SHOP.Ä").isEmpty)
  }

  @Test func `new columns of a table outside the model are not reported`() throws {
    let found = try gain(
      "\(Self.shop) CREATE TABLE staff(id INTEGER PRIMARY KEY);",
      "ALTER TABLE staff ADD COLUMN pay; CREATE INDEX by_pay ON staff(pay);",
      model: Self.shop)
    #expect(found.isEmpty)
  }

  @Test(arguments: [
    ("park", ["park", "by_size"]), ("SHOP", ["shop.phone", "shop.a.b"]), ("Shop.Phone", ["shop.phone"]),
    ("shop.a.b", ["shop.a.b"]), ("by_phone", ["by_phone"]), ("parks", ["parks"]), ("name", []), ("a.b", []),
  ])
  func `accepting one new object by name leaves the others`(name: String, known: [String]) throws {
    let after = """
      ALTER TABLE shop ADD COLUMN phone; ALTER TABLE shop ADD COLUMN "a.b"; CREATE INDEX by_phone ON shop(phone);
      CREATE TABLE park(id INTEGER PRIMARY KEY, size); CREATE INDEX by_size ON park(size);
      CREATE VIEW parks AS SELECT id FROM park;
      """
    let (old, now) = (try outline(Self.shop), try outline(Self.shop + after))
    let schema = try SchemaReader.schema(of: Self.shop)
    let all = OriginGain(now, since: old, without: schema)
    #expect(Set(all.names) == ["park", "parks", "shop.phone", "shop.a.b", "by_phone", "by_size"])
    let rest = OriginGain(now, since: old.knowing(all.parts(named: name), of: now), without: schema)
    #expect(Set(rest.names) == Set(all.names).subtracting(known))
    #expect(Set(all.without(rest).names) == Set(known))
  }

  @Test func `a message names a few objects and counts the rest`() throws {
    let tables = (1...7).map { "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY);" }.joined()
    let found = try gain(Self.shop, tables, model: Self.shop)
    #expect(found.words.hasSuffix("the table \"t5\" and 2 more"))
  }

  @Test(arguments: [
    "[]", "{}", "{\"tables\": {}, \"indexes\": [1], \"views\": []}",
    "{\"tables\": {}, \"indexes\": [], \"views\": [], \"more\": 1}",
  ])
  func `an invalid outline is rejected`(text: String) throws {
    #expect(throws: MalformedJSON.self) { try OriginOutline(JSONValue(parsing: Array(text.utf8))) }
  }
}
