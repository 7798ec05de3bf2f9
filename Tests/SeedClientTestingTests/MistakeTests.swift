import SeedClient
import SeedClientTesting
import Testing

/// A mistake in a test is reported with table, column and row, and nothing is published.
@Suite struct MistakeTests {
  private let seeds: TestPublisher

  init() throws { seeds = try Stops.publisher() }

  private func expect(
    _ text: String, isWhole: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ rows: (inout RowChanges) throws -> Void
  ) {
    let found = Stops.mistake { try seeds.publish(rows) }
    #expect(
      isWhole ? found == text : found?.contains(text) == true, "\(found ?? "no mistake")",
      sourceLocation: sourceLocation)
  }

  @Test func `an unknown table or column is reported with a suggestion`() {
    expect("there is no table \"stops\": did you mean \"stop\"?") { $0.put(["id": "b"], in: "stops") }
    expect("table \"stop\" has no column \"nam\": did you mean \"name\"?") {
      $0.put(["id": "b", "nam": "B"], in: "stop")
    }
    expect("table \"stop\" has no column \"platforms\": it has id, name, zone, step_free") {
      $0.change("a", in: "stop", to: ["platforms": 3])
    }
  }

  @Test func `a row that the schema does not allow is reported, and its version publishes nothing`()
    async throws
  {
    let remedy = "give the row values that the schema allows"
    expect("table \"stop\", row id = b: NOT NULL constraint failed: stop.name: \(remedy)") {
      $0.put(["id": "b"], in: "stop")
    }
    expect("table \"stop\": a row without \"id\" has no key: give it a value (name = B)") {
      $0.put(["name": "B"], in: "stop")
    }
    expect(
      "table \"stop\", row id = b: the value \"Alexanderplatz\" of \"name\" must be unique, but the row id = a has "
        + "it: \(remedy)"
    ) { $0.put(["id": "b", "name": "Alexanderplatz"], in: "stop") }
    expect("table \"stop\", row id = a: CHECK constraint failed", isWhole: false) {
      $0.change("a", in: "stop", to: ["step_free": 2])
    }
    expect("references a row that table \"zone\" does not have", isWhole: false) {
      $0.change("a", in: "stop", to: ["zone": "Z"])
    }
    expect("table \"stop\", row id = z: there is no such row", isWhole: false) {
      $0.put(["id": "b", "name": "Bahnhof"], in: "stop")
      $0.delete("z", from: "stop")
    }
    expect("table \"stop\", row id = z: there is no such row", isWhole: false) {
      $0.change("z", in: "stop", to: ["name": "Z"])
    }
    expect(
      "table \"stop_time\": the key has trip, position, but 1 values were given: give one for each, in that order"
    ) { $0.delete("t", from: "stop_time") }
    expect("a row has columns", isWhole: false) { $0.put(encoding: ["a", "b"], in: "stop") }
    let store = try seeds.store()
    try await store.update()
    #expect(try await store.stops == ["Alexanderplatz"])
    #expect(await store.state.version == .first)
  }

  @Test func `SQL that fails, ends the transaction or changes the schema is rejected`() throws {
    #expect(
      Stops.mistake { try seeds.publish(sql: "UPDATE stopp SET id = 1") }?.contains("no such table") == true)
    #expect(Stops.mistake { try seeds.publish(sql: "COMMIT") }?.contains("omit BEGIN") == true)
    let schema = Stops.mistake { try seeds.publish(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY)") }
    #expect(schema?.contains("create another TestPublisher") == true)
    #expect(try seeds.publish(sql: "UPDATE stop SET name = 'Alex'").number == 2)
  }

  @Test func `an app's model requires its own schema, and an unsupported schema is rejected with a reason`()
    throws
  {
    let own = try TestPublisher(schema: "CREATE TABLE word(id INTEGER PRIMARY KEY)").model
    #expect(try TestPublisher(schema: "create table word(id integer primary key)", model: own).model == own)
    let message = Stops.mistake {
      _ = try TestPublisher(schema: Stops.schema, model: own)
      return .first
    }
    #expect(message?.contains("model test 1.0 is for a schema with the hash") == true)
    #expect(message?.contains("`seedbank config swift`") == true)
    let unsupported = Stops.mistake {
      _ = try TestPublisher(schema: "CREATE TABLE stop(name TEXT)")
      return .first
    }
    #expect(unsupported?.contains("table \"stop\" has no key") == true)
  }
}
