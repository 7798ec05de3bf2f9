import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct TypedRowTests {
  private let fixture: RowFixture
  private var store: SeedStore { fixture.store }

  init() throws { fixture = try RowFixture() }

  private struct Stop: Decodable, Equatable {
    let id: String
    let stopName: String
  }

  private func rows<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async throws -> [Row] {
    try await fixture.rows(query, as: type)
  }

  private func misfit<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async -> SeedError? {
    await fixture.misfit(query, as: type)
  }

  // MARK: Types

  @Test func `members match columns by name and in other spellings`() async throws {
    let query: SeedQuery = "SELECT name AS stop_name, id, 1 AS more FROM stop ORDER BY id LIMIT 2"
    let expected = [
      Stop(id: "a", stopName: "Alexanderplatz"), Stop(id: "b", stopName: "Bellevue"),
    ]
    #expect(try await rows(query, as: Stop.self) == expected)
    #expect(try await store.first(query, as: Stop.self) == expected[0])
    let inferred: [Stop] = try await store.rows(query)
    #expect(inferred == expected)
    #expect(
      try await store.rows(query).map(\.names) == [
        ["stop_name", "id", "more"], ["stop_name", "id", "more"],
      ])
    let total = try await store.value("SELECT count(*) FROM stop") ?? 0
    #expect(total == 3)
    #expect(
      try await store.first("SELECT id, name AS stopName FROM stop WHERE id = 'q'", as: Stop.self) == nil)
    #expect(try await store.value("SELECT count(*) FROM stop", as: Int.self) == 3)
    #expect(try await store.value("SELECT max(name) FROM stop WHERE id = 'q'", as: String.self) == nil)
    #expect(try await store.value("SELECT name FROM stop WHERE id = 'q'", as: String.self) == nil)
    #expect(await code { _ = try await store.value("SELECT 1, 2", as: Int.self) } == .decoding)
  }

  private enum Kind: String, Decodable { case bus, tram }
  private struct Point: Decodable, Equatable { let lat, lon: Double }
  private struct Everything: Decodable {
    let small: Int8, size: UInt64, ratio: Double, share: Float, isOpen: Bool, name: String, gone: String?
    let bytes: [UInt8], data: Data, day: Date, moment: Date, seconds: Date, link: URL, key: UUID,
      price: Decimal
    let kind: Kind, place: Point, tags: [String], noTags: [String]?
  }

  @Test func `members may have any supported type`() async throws {
    let key = UUID()
    let found = try await rows(
      """
      SELECT -3 AS small, 5 AS size, 1 AS ratio, 0.5 AS share, 1 AS is_open, 'n' AS name, NULL AS gone, x'0102' AS bytes,
        x'03' AS data, '1970-01-02' AS day, '1970-01-01T00:00:01.5+00:00' AS moment, 2.25 AS seconds,
        'https://a.example/b' AS link, \(key.uuidString) AS "key", '1.10' AS price, 'tram' AS kind,
        '{"lat": 1, "lon": 2.5}' AS place, '["x", "y"]' AS tags, NULL AS no_tags
      """, as: Everything.self)[0]
    #expect(found.small == -3 && found.size == 5 && found.ratio == 1 && found.share == 0.5 && found.isOpen)
    #expect(found.name == "n" && found.gone == nil && found.bytes == [1, 2] && found.data == Data([3]))
    #expect([found.day, found.moment, found.seconds].map(\.timeIntervalSince1970) == [86400, 1.5, 2.25])
    #expect(found.link.path == "/b" && found.key == key && found.price == Decimal(string: "1.1"))
    #expect(found.kind == .tram && found.place == Point(lat: 1, lon: 2.5) && found.tags == ["x", "y"])
    #expect(found.noTags == nil)
  }

  @Test func `a single value is decoded like a member`() async throws {
    #expect(try await store.value("SELECT 2.25", as: Date.self)?.timeIntervalSince1970 == 2.25)
    #expect(try await store.value("SELECT 2", as: Date?.self)??.timeIntervalSince1970 == 2)
    #expect(try await store.value("SELECT '1970-01-02'", as: Date.self)?.timeIntervalSince1970 == 86400)
    #expect(try await store.value("SELECT x'0102'", as: Data.self) == Data([1, 2]))
    #expect(try await store.value("SELECT x'0102'", as: [UInt8].self) == [1, 2])
    #expect(try await store.value("SELECT 'https://a.example/b'", as: URL.self)?.path == "/b")
    #expect(try await store.value("SELECT '-1.10'", as: Decimal.self) == Decimal(string: "-1.1"))
    #expect(try await store.value("SELECT 'tram'", as: Kind.self) == .tram)
    struct Opening: Decodable, Equatable { let from: Date, until: Date }
    struct Opened: Decodable { let hours: Opening }
    let hours = try await rows(
      #"SELECT '{"from": 60, "until": "1970-01-01T00:02:00Z"}' AS hours"#, as: Opened.self)[0].hours
    #expect(hours == Opening(from: Date(timeIntervalSince1970: 60), until: Date(timeIntervalSince1970: 120)))
  }

  // MARK: Errors

  @Test
  func
    `a number with trailing text or out of range, or an unknown form of a date, an enum or JSON is an error`()
    async throws
  {
    for text in ["1,10", "1.234,50", "2.50 EUR", "-", "", "en", "1e3"] {
      let error = await misfit("SELECT \(text)", as: Decimal.self)
      #expect(error?.message.contains("it must be Decimal") == true, "\(text)")
    }
    #expect(await misfit("SELECT 1e300", as: Float.self)?.code == .decoding)
    #expect(await misfit("SELECT 'ship'", as: Kind.self)?.code == .decoding)
    struct Dated: Decodable { let day: Date }
    struct Chosen: Decodable { let kind: Kind }
    struct Placed: Decodable { let place: Point }
    #expect(await misfit("SELECT '31.12.2026' AS day", as: Dated.self)?.message.contains("ISO 8601") == true)
    #expect(
      await misfit("SELECT 'ship' AS kind", as: Chosen.self)?.message.contains("Chosen.kind is Kind") == true)
    #expect(
      await misfit("SELECT '{\"lat\": 1}' AS place", as: Placed.self)?.message.contains("from JSON") == true)
    #expect(await misfit("SELECT 7 AS place", as: Placed.self)?.message.contains("INTEGER 7") == true)
    #expect(
      await misfit("SELECT CAST(x'61ff' AS TEXT)", as: String.self)?.message.contains("not UTF-8") == true)
  }

  @Test func `a type mismatch is reported with column, row and both types`() async throws {
    struct Numbered: Decodable { let id: Int }
    let text = await misfit("SELECT id FROM stop ORDER BY id", as: Numbered.self)
    #expect(text?.code == .decoding && text?.isRetryable == false)
    #expect(
      text?.message.hasPrefix(#"column "id" of row 1 is TEXT "a", but Numbered.id is Int: SELECT"#) == true)
    let second = await misfit("SELECT 1 AS id UNION ALL SELECT NULL ORDER BY id DESC", as: Numbered.self)
    #expect(second?.message.hasPrefix(#"column "id" of row 2 is NULL, but Numbered.id is Int"#) == true)
    let large = await misfit("SELECT 300 AS id", as: [String: Int8].self)
    #expect(large?.message.contains("INTEGER 300") == true)
    let fraction = await misfit("SELECT 1.5 AS id", as: Numbered.self)
    #expect(fraction?.message.contains("REAL 1.5") == true)
  }

  @Test func `a member without a column is an error even if it is optional`() async throws {
    struct Titled: Decodable { let id: String, titel: String? }
    let error = await misfit("SELECT id, name AS title FROM stop", as: Titled.self)
    #expect(error?.message.hasPrefix(#"Titled.titel has no column (did you mean "title"?)"#) == true)
    #expect(await misfit("SELECT id, name FROM stop", as: String.self)?.code == .decoding)
    #expect(await misfit("SELECT id FROM stop", as: [String].self)?.code == .decoding)
  }

  @Test func `a decoding error ends its sequence but not the store`() async throws {
    var numbers = store.observe("SELECT id FROM stop", as: Int.self).makeAsyncIterator()
    try await store.prepare()
    let error = await #expect(throws: SeedError.self) { while try await numbers.next() != nil {} }
    #expect(error?.code == .decoding)
    for _ in 0..<2 {
      #expect(await misfit("SELECT id FROM stop", as: Int.self)?.code == .decoding)
      #expect(await code { _ = try await store.first("SELECT NULL", as: Int.self) } == .decoding)
    }
    #expect(try await store.stops().count == 3)
  }
}

struct RowFixture {
  private let fixture: StoreFixture
  let store: SeedStore

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "Alexanderplatz", "b": "Bellevue", "o'c": "O'Connell"])
    store = try fixture.store()
  }

  func rows<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async throws -> [Row] {
    try await store.read { reader in try reader.rows(query, as: type) }
  }

  /// The error of a query whose rows cannot be decoded.
  func misfit<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async -> SeedError? {
    do {
      Issue.record("\(try await rows(query, as: type))")
      return nil
    } catch { return error as? SeedError }
  }
}
