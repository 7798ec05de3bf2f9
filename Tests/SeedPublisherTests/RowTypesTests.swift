import SeedDatabase
import Testing

@testable import SeedPublisher

@Suite struct RowTypesTests {
  private func types(_ sql: String) throws -> [String] {
    var types = RowTypes()
    return try types.declarations(ofSchema: sql)
  }

  @Test func `a table's rows have a type with its columns`() throws {
    let types = try types(
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, step_free BOOLEAN, lat REAL, price DECIMAL(9, 2),
        fee NUMERIC(9,2), remark numeric, opened DATE, photo BLOB, more);
      """)
    #expect(
      types == [
        """
        /// A row of the table shop.
        nonisolated struct Shop: Decodable, Hashable, Sendable, Identifiable {
          let id: Int
          let name: String
          let stepFree: Bool?
          let lat: Double?
          let price: Double?
          let fee: Double?
          let remark: SeedValue
          let opened: SeedValue
          let photo: [UInt8]?
          let more: SeedValue
        }
        """
      ])
  }

  @Test func `a key with another name is the id and odd names have coding keys`() throws {
    let types = try types(
      """
      CREATE TABLE "opening hours"("shop id" INTEGER PRIMARY KEY, "2nd" TEXT, "default" TEXT);
      CREATE VIEW "open now" AS SELECT "shop id" AS shop_id, "2nd" AS second FROM "opening hours";
      """)
    #expect(
      types == [
        """
        /// A row of the table opening hours.
        nonisolated struct OpeningHours: Codable, Hashable, Sendable, Identifiable {
          let shopId: Int
          let _2nd: String?
          let `default`: String?

          var id: Int { shopId }

          nonisolated enum CodingKeys: String, CodingKey {
            case shopId = "shop id"
            case _2nd = "2nd"
            case `default` = "default"
          }
        }
        """,
        """
        /// A row of the view open now.
        nonisolated struct OpenNow: Codable, Hashable, Sendable {
          let shopId: Int?
          let second: String?
        }
        """,
      ])
  }

  @Test func `rows without a key of one column have no id`() throws {
    let types = try types(
      """
      CREATE TABLE pair(a TEXT, b INTEGER, PRIMARY KEY(a, b));
      CREATE TABLE other(code TEXT PRIMARY KEY, id INTEGER);
      """)
    for type in types { #expect(type.contains(": Codable, Hashable, Sendable {"), "\(type)") }
  }

  @Test func `names are unique and hide no common type`() throws {
    let types = try types(
      """
      CREATE TABLE string(id INTEGER PRIMARY KEY, a_b TEXT, "a b" TEXT);
      CREATE TABLE a_b(id INTEGER PRIMARY KEY);
      CREATE TABLE "a b"(id INTEGER PRIMARY KEY);
      CREATE TABLE "!"(id INTEGER PRIMARY KEY);
      """)
    let names = types.map { $0.split(separator: "struct ")[1].prefix { $0 != ":" } }
    #expect(Set(names) == ["StringRow", "AB", "ABRow", "Row"])
    let members = try #require(types.first { $0.contains("StringRow") })
    #expect(members.contains("let aB: String?") && members.contains("let aB2: String?"))
    #expect(members.contains(#"case aB2 = "a b""#))
  }
}
