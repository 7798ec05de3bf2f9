import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct RowColumnTests {
  private let fixture: RowFixture

  init() throws { fixture = try RowFixture() }

  private func rows<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async throws -> [Row] {
    try await fixture.rows(query, as: type)
  }

  // MARK: Names

  private struct Spelled: Decodable, Equatable { let aB: Int }

  @Test func `an exact column name is preferred, and two other spellings are an error that names both`()
    async throws
  {
    #expect(try await rows("SELECT 1 AS a_b, 2 AS aB, 3 AS ab", as: Spelled.self) == [Spelled(aB: 2)])
    let alike = await fixture.misfit("SELECT 1 AS a_b, 2 AS ab", as: Spelled.self)
    #expect(
      alike?.message.hasPrefix(
        #"Spelled.aB could be "a_b" or "ab": omit one, or rename the right one to "aB" with AS (the query"#
      )
        == true)
    let same = await fixture.misfit("SELECT 1 AS aB, 2 AS aB", as: Spelled.self)
    #expect(same?.code == .decoding)
    #expect(
      same?.message.hasPrefix("Spelled.aB has more than one column with its name: rename all but") == true)
    #expect(try await rows("SELECT 1 AS id, 2 AS id, 3 AS a_b", as: Spelled.self) == [Spelled(aB: 3)])
  }

  @Test func `a dictionary uses the column names of the query`() async throws {
    let query: SeedQuery = "SELECT id, name AS stop_name, NULL AS zone, 1 AS one FROM stop WHERE id = 'a'"
    let found: [[String: SeedValue]] = try await rows(query, as: [String: SeedValue].self)
    #expect(found == [["id": "a", "stop_name": "Alexanderplatz", "zone": .null, "one": 1]])
    let texts = try await rows("SELECT id, NULL AS zone FROM stop WHERE id = 'a'", as: [String: String?].self)
    #expect(texts == [["id": "a", "zone": nil]])
    #expect(await fixture.misfit(query, as: [String: String?].self)?.message.contains("INTEGER 1") == true)
    #expect(await fixture.misfit("SELECT 1 AS a, 2 AS a", as: [String: Int].self)?.code == .decoding)
    #expect(await fixture.misfit(query, as: [Int: String].self)?.code == .decoding)
  }

  @Test func `a member may be a SeedValue`() async throws {
    struct Held: Decodable, Equatable { let value: SeedValue, other: SeedValue? }
    let values: [SeedValue] = [1, 2.5, "t", .null, .blob([1])]
    for value in values {
      let held = Held(value: value, other: value.isNull ? nil : value)
      #expect(try await rows("SELECT \(value) AS value, \(value) AS other", as: Held.self) == [held])
      #expect(try await fixture.store.first("SELECT \(value)", as: SeedValue.self) == value)
    }
    #expect(await fixture.misfit("SELECT CAST(x'ff' AS TEXT)", as: SeedValue.self)?.code == .decoding)
    struct Listed: Decodable, Equatable { let values: [SeedValue] }
    #expect(
      try await rows(#"SELECT '[1, 2.5, "t", null, true]' AS "values""#, as: Listed.self)
        == [Listed(values: [1, 2.5, "t", .null, 1])])
  }

  // MARK: Custom decoding

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Decodes JSON by hand.
  private struct Place: Decodable, Equatable {
    let lat: Double, first: String, last: String, day: Date

    init(lat: Double, first: String, last: String, day: Date) {
      (self.lat, self.first, self.last, self.day) = (lat, first, last, day)
    }

    init(from decoder: any Decoder) throws {
      let row = try decoder.container(keyedBy: Name.self)
      let place = try row.nestedContainer(keyedBy: Name.self, forKey: Name("place"))
      var tags = try row.nestedUnkeyedContainer(forKey: Name("tags"))
      lat = try place.decode(Double.self, forKey: Name("lat"))
      first = try tags.decode(String.self)
      last =
        try row.superDecoder(forKey: Name("tags")).singleValueContainer().decode([String].self).last ?? ""
      let again = try row.superDecoder(forKey: Name("place")).container(keyedBy: Name.self)
      day = try again.decode(Date.self, forKey: Name("day"))
    }
  }

  @Test func `a type may decode a column's JSON by hand`() async throws {
    let found = try await rows(
      #"SELECT '{"lat": 1.5, "day": "1970-01-02"}' AS place, '["x", "y"]' AS tags"#, as: Place.self)
    #expect(found == [Place(lat: 1.5, first: "x", last: "y", day: Date(timeIntervalSince1970: 86400))])
  }

  @Test func `an error in hand-decoded JSON includes column and row`() async {
    for (place, tags, message) in [
      ("7", "'[1]'", #"column "place" of row 1 is INTEGER 7, but Place.place is an object, from JSON"#),
      ("'[]'", "'[1]'", #"column "place" of row 1 is TEXT "[]", but Place.place is an object, from JSON ("#),
      ("'{}'", "'{}'", #"column "tags" of row 1 is TEXT "{}", but Place.tags is a list, from JSON ("#),
      ("'{'", "'[1]'", #"column "place" of row 1 is TEXT "{", but Place.place is an object, from JSON ("#),
      ("'{}'", "'[1]'", "row 1 does not fit Place ("),
    ] {
      let query = SeedQuery(sql: "SELECT \(place) AS place, \(tags) AS tags")
      let error = await fixture.misfit(query, as: Place.self)
      #expect(
        error?.code == .decoding && error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
  }

  private class Base: Decodable {
    let id: Int
    init(_ id: Int) { self.id = id }
  }

  /// Decodes in an order that depends on the row, and passes the row to its superclass.
  private final class Derived: Base {
    enum Keys: CodingKey { case name, note, gone }
    enum Others: CodingKey { case note, name }
    let name: String, note: String?, mixed: [String]

    required init(from decoder: any Decoder) throws {
      let row = try decoder.container(keyedBy: Keys.self)
      let same = try decoder.container(keyedBy: Others.self)
      let parent = try Base(from: row.superDecoder())
      if parent.id.isMultiple(of: 2) {
        note = try row.decodeIfPresent(String.self, forKey: .note)
        name = try row.decode(String.self, forKey: .name)
      } else {
        name = try row.decode(String.self, forKey: .name)
        note = try row.decodeIfPresent(String.self, forKey: .note)
      }
      mixed = try [
        row.decode(String.self, forKey: .name), same.decode(String.self, forKey: .name),
        decoder.container(keyedBy: Name.self).decode(String.self, forKey: Name("name")),
      ]
      #expect(!row.contains(.gone) && row.contains(.note) && (try? row.decodeNil(forKey: .gone)) == nil)
      #expect(try row.decodeNil(forKey: .note) == (note == nil) && row.allKeys == [.name, .note])
      try super.init(from: decoder)
    }
  }

  @Test func `a type may decode in any order, from several containers and in its superclass`() async throws {
    let good = try await fixture.store.read { reader in
      try reader.rows(
        """
        WITH i(i) AS (VALUES (1), (2), (3), (4), (5))
        SELECT i AS id, 'n' || i AS name, iif(i % 3 = 0, NULL, 'o' || i) AS note FROM i
        """, as: Derived.self
      ).map { row in
        row.name == "n\(row.id)" && row.note == (row.id == 3 ? nil : "o\(row.id)")
          && row.mixed == Array(repeating: row.name, count: 3)
      }
    }
    #expect(good == [true, true, true, true, true])
  }

  @Test func `coding keys may be of any length, and textual or numeric`() async throws {
    struct Only: Decodable, Equatable { let id: String }
    #expect(
      try await rows("SELECT id FROM stop ORDER BY id LIMIT 2", as: Only.self) == [
        Only(id: "a"), Only(id: "b"),
      ])
    struct Numbered: Decodable, Equatable {
      struct Key: CodingKey {
        let number: Int
        var stringValue: String { "c\(number)" }
        var intValue: Int? { number }
        init(_ number: Int) { self.number = number }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { self.init(intValue) }
      }
      let sum: Int
      init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Key.self)
        sum = try (1...300).reduce(0) { try $0 + row.decode(Int.self, forKey: Key($1)) }
      }
    }
    let columns = (1...300).map { "\($0) AS c\($0)" }.joined(separator: ", ")
    let found = try await fixture.store.read { reader in
      try reader.rows(SeedQuery(sql: "SELECT \(columns) FROM stop"), as: Numbered.self).map(\.sum)
    }
    #expect(found == [45150, 45150, 45150])
  }

  @Test func `a container kept by a type throws after its row, and so does a decoder`() async throws {
    struct Keeper: Decodable {
      enum Keys: CodingKey { case id, name }
      let row: KeyedDecodingContainer<Keys>
      let id: String
      init(from decoder: any Decoder) throws {
        row = try decoder.container(keyedBy: Keys.self)
        id = try row.decode(String.self, forKey: .id)
      }
    }
    struct DecoderKeeper: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    try await fixture.store.read { reader in
      let all = try reader.rows("SELECT id, name FROM stop ORDER BY id", as: Keeper.self)
      #expect(all.map(\.id) == ["a", "b", "o'c"])
      for keeper in all {
        let error = #expect(throws: SeedError.self) { try keeper.row.decode(String.self, forKey: .id) }
        #expect(
          error?.code == .decoding && error?.message.contains("after its init(from:) has returned") == true)
        #expect(keeper.row.allKeys.isEmpty && !keeper.row.contains(.id))
        #expect(throws: SeedError.self) { try keeper.row.superDecoder() }
        #expect(throws: SeedError.self) { try keeper.row.decodeIfPresent(Int.self, forKey: .name) }
      }
      let decoder = try #require(try reader.rows("SELECT id FROM stop", as: DecoderKeeper.self).first).decoder
      let row = try decoder.container(keyedBy: Keeper.Keys.self)
      #expect(throws: SeedError.self) { try row.decode(String.self, forKey: .id) }
    }
    #expect(try await fixture.store.stops().count == 3)
  }

  @Test func `an error from custom decoding includes row and type`() async {
    struct Strict: Decodable {
      struct Refusal: Error {}
      enum Keys: CodingKey { case id }
      init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Keys.self)
        if try row.decode(String.self, forKey: .id) == "b" { throw Refusal() }
      }
    }
    let error = await fixture.misfit("SELECT id FROM stop ORDER BY id", as: Strict.self)
    #expect(error?.code == .decoding)
    #expect(error?.message.hasPrefix("row 2 does not fit Strict (Refusal())") == true)
  }
}
