import SeedClient
import SeedClientTesting
import Testing

/// A mistake in a test is told by table, column and row, and nothing of it is published.
@Suite struct MistakeTests {
  @Test func `a table or column that is not there is told, with the name that was meant`() throws {
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

  @Test func `a column that lacks its value is told with its row`() throws {
    #expect(
      try Stops.mistake { $0.put(["id": "b"], in: "stop") }
        == "table \"stop\", row id = b: NOT NULL constraint failed: stop.name: give it values that the schema allows"
    )
    #expect(
      try Stops.mistake { $0.put(["name": "B"], in: "stop") }
        == "table \"stop\": a row without \"id\" has no key: give it a value (name = B)")
  }

  @Test
  func `a value that breaks a rule of the schema is told with its row, and with the one that is in the way`()
    throws
  {
    #expect(
      try Stops.mistake { $0.put(["id": "b", "name": "Alexanderplatz"], in: "stop") }
        == "table \"stop\", row id = b: the value \"Alexanderplatz\" of \"name\" must be unique, and the row id = a has "
        + "it: give it values that the schema allows")
    let check = try Stops.mistake { $0.change("a", in: "stop", to: ["step_free": 2]) }
    #expect(check?.hasPrefix("table \"stop\", row id = a: CHECK constraint failed") == true)
    let reference = try Stops.mistake { $0.change("a", in: "stop", to: ["zone": "Z"]) }
    #expect(reference?.contains("references a row that table \"zone\" does not have") == true)
  }

  @Test func `a key that is not there, or is no key, is told`() throws {
    let absent = "table \"stop\", row id = z: there is no such row"
    #expect(try Stops.mistake { $0.delete("z", from: "stop") }?.hasPrefix(absent) == true)
    #expect(try Stops.mistake { $0.change("z", in: "stop", to: ["name": "Z"]) }?.hasPrefix(absent) == true)
    #expect(
      try Stops.mistake { $0.delete("t", from: "stop_time") }
        == "table \"stop_time\": the key has trip, position, but 1 values were given: give one for each, in that order"
    )
  }

  @Test func `a type that cannot be a row is told`() throws {
    #expect(
      try Stops.mistake { $0.put(encoding: ["a", "b"], in: "stop") }?.contains("a row has columns") == true)
  }

  @Test func `statements that fail, that end the transaction or that change the schema are refused`() throws {
    let seeds = try Stops.publisher()
    #expect(
      Stops.mistake { try seeds.publish(sql: "UPDATE stopp SET id = 1") }?.contains("no such table") == true)
    #expect(Stops.mistake { try seeds.publish(sql: "COMMIT") }?.contains("leave out BEGIN") == true)
    let schema = Stops.mistake { try seeds.publish(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY)") }
    #expect(schema?.contains("make another TestPublisher") == true)
    #expect(try seeds.publish(sql: "UPDATE stop SET name = 'Alex'").number == 2)
  }

  @Test func `of a version with a mistake nothing is published`() async throws {
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

  @Test func `a schema that no seed can have is refused with the reason`() {
    let message = Stops.mistake {
      _ = try TestPublisher(schema: "CREATE TABLE stop(name TEXT)")
      return .first
    }
    #expect(message?.contains("table \"stop\" has no key") == true)
  }

  @Test func `an app's model goes with its own schema alone, and the refusal names both`() throws {
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
