import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedClient

/// Values of a query, interpolated or in a list, and of its rows.
@Suite struct QueryValueTests {
  private let fixture: RowFixture

  init() throws { fixture = try RowFixture() }

  @Test func `interpolated values are bound whatever they contain, even those of a query in another`()
    async throws
  {
    for id in ["o'c", "a", "x' OR 1 --"] {
      let found = try await fixture.rows("SELECT name FROM stop WHERE id = \(id)", as: String.self)
      #expect(found.count == (id.hasPrefix("x") ? 0 : 1))
    }
    let none: String? = nil
    let all: SeedQuery = """
      SELECT \(1), \(2.5), \("t"), \(none), \(true), \([UInt8](arrayLiteral: 1, 2)), \(UInt64.max), \(SeedValue.null), \(Double.nan)
      """
    let row = try await fixture.store.read { reader in try reader.rows(all)[0] }
    #expect(
      row.values == [1, 2.5, "t", .null, true, .blob([1, 2]), .real(Double(UInt64.max)), .null, .null])
    #expect(
      try await fixture.rows("SELECT id FROM stop WHERE id IN (\(list: ["a", "b"]))", as: String.self).count
        == 2)
    #expect(
      try await fixture.rows("SELECT id FROM stop WHERE id IN (\(list: [String]()))", as: String.self).isEmpty
    )
    for (filter, count): (SeedQuery?, Int) in [(nil, 2), ("AND name LIKE \("Alex%")", 1)] {
      let query: SeedQuery =
        "SELECT \(1) FROM stop WHERE id IN (\(list: ["a", "b"])) \(part: filter ?? "") LIMIT \(5)"
      #expect(try await fixture.rows(query, as: Int.self).count == count)
    }
  }

  private enum Zone: String, Decodable, SeedValueConvertible { case a, b }
  private enum Level: Int, Decodable, SeedValueConvertible { case ground, first }

  private struct Bound: Decodable, Equatable {
    let key: UUID, link: URL, data: Data, bytes: [UInt8], zone: Zone, level: Level, day, moment: Date,
      gone: UUID?
  }

  @Test func `every value that can be bound is read back equal`() async throws {
    let url = try #require(URL(string: "https://a.example/b?c=%20"))
    let bound = Bound(
      key: UUID(), link: url, data: Data([0, 255]), bytes: [1], zone: .b, level: .first,
      day: Date(timeIntervalSince1970: 86400), moment: Date(timeIntervalSince1970: 1.5), gone: nil)
    let read = try await fixture.rows(
      """
      SELECT \(bound.key) AS key, \(bound.link) AS link, \(bound.data) AS data, \(bound.bytes) AS bytes,
        \(bound.zone) AS zone, \(bound.level) AS level, \(bound.day, as: .iso8601) AS day,
        \(bound.moment, as: .secondsSince1970) AS moment, \(bound.gone) AS gone
      """, as: Bound.self)
    #expect(read == [bound])
    let ids: [UUID?] = [bound.key, nil]
    #expect(
      try await fixture.rows("SELECT \(bound.key) IN (\(list: ids))", as: Bool.self) == [true])
  }

  @Test func `a date is bound in the chosen format`() {
    let date = Date(timeIntervalSince1970: -0.25)
    #expect(SeedValue(date, as: .iso8601) == "1969-12-31T23:59:59Z")
    #expect(SeedValue(date, as: .secondsSince1970) == -0.25)
    #expect(SeedValue(Date(timeIntervalSince1970: 60), as: .secondsSince1970) == 60)
    #expect(SeedValue(Date.distantFuture, as: .iso8601) == "4001-01-01T00:00:00Z")
    #expect(SeedValue(date, as: .iso8601Milliseconds) == "1969-12-31T23:59:59.750Z")
    #expect(SeedValue(date, as: .sqlite) == "1969-12-31 23:59:59")
    #expect(SeedValue(date, as: .day) == "1969-12-31")
    #expect(SeedValue(date, as: .millisecondsSince1970) == -250)
    #expect(
      SeedValue(Date(timeIntervalSince1970: 1.0004), as: .iso8601Milliseconds) == "1970-01-01T00:00:01.000Z")
    for form in [
      SeedDateForm.iso8601, .iso8601Milliseconds, .sqlite, .day, .secondsSince1970, .millisecondsSince1970,
    ] {
      #expect(SeedValue(Date(timeIntervalSince1970: .nan), as: form).isNull)
    }
    for seconds in [253_402_300_800, -9.223_372_036_854_775e15, 9e18] {
      for form in [SeedDateForm.iso8601, .iso8601Milliseconds, .sqlite, .day] {
        #expect(SeedValue(Date(timeIntervalSince1970: seconds), as: form).isNull)
      }
    }
    let none: Date? = nil
    let query: SeedQuery = "SELECT \(none, as: .iso8601)"
    #expect(query == SeedQuery(sql: "SELECT ?", values: [nil]))
  }

  @Test func `a query made at run time has a value of any type for each parameter`() async throws {
    let values: [(any SeedValueConvertible)?] = ["a", "b" as String?, nil, UUID(), nil, true, 2]
    let sql = "SELECT count(*) FROM stop WHERE id IN (?, ?, ?, ?) AND ? IS NULL AND ? = 1 AND 1.5 < ?"
    #expect(try await fixture.store.value(SeedQuery(sql: sql, values: values)) == 2)
    let ids = ["a"]
    let query = SeedQuery(sql: "SELECT name FROM stop WHERE id = ?", values: ids)
    #expect(try await fixture.rows(query, as: String.self) == ["Alexanderplatz"])
    var live = fixture.store.observe(query, as: String.self).makeAsyncIterator()
    #expect(try await live.next() == ["Alexanderplatz"])
  }

  @Test func `a UUID is bound in lower case or as bytes`() async throws {
    let id = try #require(UUID(uuidString: "0F00AA00-0000-4000-8000-0000000000ff"))
    let none: UUID? = nil
    let row = try #require(
      try await fixture.store.rows("SELECT \(id), \(id, as: .blob), \(none, as: .blob)").first)
    let bytes: [UInt8] = [15, 0, 170, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 255]
    #expect(row.values == ["0f00aa00-0000-4000-8000-0000000000ff", .blob(bytes), .null])
  }

  @Test func `the first row needs no type, and a column of it is decoded by name`() async throws {
    let query: SeedQuery = "SELECT name, 5 AS number, NULL AS gone, '[1, 2]' AS list FROM stop ORDER BY id"
    let row = try #require(try await fixture.store.first(query))
    #expect(try await fixture.store.first("SELECT name FROM stop WHERE 0") == nil)
    #expect(row["number"] == 5 && row["nmae"] == nil && row["gone"]?.isNull == true)
    let name: String = try row.get("name")
    #expect(name == "Alexanderplatz")
    #expect(try row.get("list", as: [Int].self) == [1, 2])
    #expect(try row.get("gone", as: Int?.self) == nil)
    let wrong = #expect(throws: SeedError.self) { try row.get("number", as: String.self) }
    #expect(wrong?.code == .decoding)
    #expect(wrong?.message == #"column "number" is INTEGER 5, but it must be String"#)
    let missing = #expect(throws: SeedError.self) { try row.get("nmae", as: String.self) }
    #expect(
      missing?.message
        == #"the row has no column "nmae", did you mean "name"? (the query returns name, number, gone, list)"#
    )
  }

  @Test func `a placeholder between quotes is text and the error explains it`() async {
    let id = "a"
    let quoted = await fixture.misfit("SELECT name FROM stop WHERE \"id\" = '\(id)'", as: String.self)
    #expect(
      quoted?.message.hasPrefix(
        "1 value passed, but SQLite counts no parameters: pass one value for each (? between quotes is text: omit "
          + "the quotes): SELECT name") == true)
    for sql in ["SELECT 'x' || ? || 'y'", "SELECT \"id\", ?, 'it''s' FROM stop"] {
      let error = await fixture.misfit(SeedQuery(sql: sql), as: String.self)
      #expect(error?.code == .query && error?.message.contains("quotes") == false)
    }
  }
}
