import SeedClient
import SeedClientTesting
import Testing

/// A mistake in a test is reported with table, column and row, and nothing is published.
@Suite struct MistakeTests {
  @Test func `an unknown table or column is reported with a suggestion`() throws {
    #expect(
      try Stops.mistake { $0.put(["id": "b"], in: "stops") }
        == "there is no table \"stops\": did you mean \"stop\"?")
    #expect(
      try Stops.mistake { $0.put(["id": "b", "nam": "B"], in: "stop") }
        == "table \"stop\" has no column \"nam\": did you mean \"name\"?")
    #expect(
      try Stops.mistake { $0.change("a", in: "stop", to: ["platforms": 3]) }
        == "table \"stop\" has no column \"platforms\": it has id, name, zone, step_free")
  }

  @Test func `a missing value is reported with its row`() throws {
    #expect(
      try Stops.mistake { $0.put(["id": "b"], in: "stop") }
        == "table \"stop\", row id = b: NOT NULL constraint failed: stop.name: give it values that the schema allows"
    )
    #expect(
      try Stops.mistake { $0.put(["name": "B"], in: "stop") }
        == "table \"stop\": a row without \"id\" has no key: give it a value (name = B)")
  }

  @Test func `a constraint violation is reported with its row and the conflicting one`() throws {
    #expect(
      try Stops.mistake { $0.put(["id": "b", "name": "Alexanderplatz"], in: "stop") }
        == "table \"stop\", row id = b: the value \"Alexanderplatz\" of \"name\" must be unique, and the row id = a has "
        + "it: give it values that the schema allows")
    let check = try Stops.mistake { $0.change("a", in: "stop", to: ["step_free": 2]) }
    #expect(check?.hasPrefix("table \"stop\", row id = a: CHECK constraint failed") == true)
    let reference = try Stops.mistake { $0.change("a", in: "stop", to: ["zone": "Z"]) }
    #expect(reference?.contains("references a row that table \"zone\" does not have") == true)
  }

  @Test func `a missing row or an invalid key is reported`() throws {
    let absent = "table \"stop\", row id = z: there is no such row"
    #expect(try Stops.mistake { $0.delete("z", from: "stop") }?.hasPrefix(absent) == true)
    #expect(try Stops.mistake { $0.change("z", in: "stop", to: ["name": "Z"]) }?.hasPrefix(absent) == true)
    #expect(
      try Stops.mistake { $0.delete("t", from: "stop_time") }
        == "table \"stop_time\": the key has trip, position, but 1 values were given: give one for each, in that order"
    )
  }

  @Test func `a type that cannot be encoded as a row is reported`() throws {
    #expect(
      try Stops.mistake { $0.put(encoding: ["a", "b"], in: "stop") }?.contains("a row has columns") == true)
  }

  @Test func `SQL that fails, ends the transaction or changes the schema is rejected`() throws {
    let seeds = try Stops.publisher()
    #expect(
      Stops.mistake { try seeds.publish(sql: "UPDATE stopp SET id = 1") }?.contains("no such table") == true)
    #expect(Stops.mistake { try seeds.publish(sql: "COMMIT") }?.contains("leave out BEGIN") == true)
    let schema = Stops.mistake { try seeds.publish(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY)") }
    #expect(schema?.contains("make another TestPublisher") == true)
    #expect(try seeds.publish(sql: "UPDATE stop SET name = 'Alex'").number == 2)
  }

  @Test func `a version with a mistake publishes nothing`() async throws {
    let seeds = try Stops.publisher()
    let mistake = Stops.mistake {
      try seeds.publish { rows in
        rows.put(["id": "b", "name": "Bahnhof"], in: "stop")
        rows.delete("z", from: "stop")
      }
    }
    #expect(mistake != nil)
    let store = try seeds.store()
    try await store.update()
    #expect(try await store.stops == ["Alexanderplatz"])
    #expect(await store.state.version == .first)
  }

  @Test func `an unsupported schema is rejected with a reason`() {
    let message = Stops.mistake {
      _ = try TestPublisher(schema: "CREATE TABLE stop(name TEXT)")
      return .first
    }
    #expect(message?.contains("table \"stop\" has no key") == true)
  }

  @Test func `an app's model requires its own schema and the error names both`() throws {
    let own = try TestPublisher(schema: "CREATE TABLE word(id INTEGER PRIMARY KEY)").model
    #expect(try TestPublisher(schema: "create table word(id integer primary key)", model: own).model == own)
    let message = Stops.mistake {
      _ = try TestPublisher(schema: Stops.schema, model: own)
      return .first
    }
    #expect(message?.contains("model test 1.0 is for a schema with the hash") == true)
    #expect(message?.contains("`seedbank config swift`") == true)
  }
}
