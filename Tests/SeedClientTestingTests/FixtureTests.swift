import Foundation
import SeedClient
import SeedClientTesting
import Support
import Testing

@Suite struct FixtureTests {
  @Test func `a row keeps the order of its columns`() {
    let row = SeedRow(["id": "a", "lat": 52.5, "zone": SeedValue.null])
    #expect(row.names == ["id", "lat", "zone"])
    #expect(row["id"] == "a" && row["lat"] == 52.5 && row["zone"]?.isNull == true)
  }

  @Test func `a state fixture has defaults and overrides`() {
    let fresh = SeedState.fixture()
    #expect(
      fresh.version == .first && fresh.origin == .downloaded && !fresh.isStale && fresh.lastError == nil)
    let date = Date(timeIntervalSince1970: 1_000_000)
    let old = SeedState.fixture(
      version: 7, newestVersion: 9, origin: .bundled, lastUpdated: date, lastError: .fixture(.network),
      lifecycle: .retired(message: "It ended."), attribution: "Stadtwerke")
    #expect(old.version?.number == 7 && old.newestVersion?.number == 9 && old.origin == .bundled)
    #expect(old.lastUpdated == date && old.isStale && old.lastError?.code == .network)
    #expect(old.lifecycle == .retired(message: "It ended.") && old.attribution == "Stadtwerke")
    let empty = SeedState.fixture(version: nil, isStale: true)
    #expect(empty.version == nil && empty.origin == nil && empty.isStale)
  }

  @Test func `an error fixture has code and sizes, and changes have counts`() {
    let error = SeedError.fixture(.tooLarge, "too large", neededBytes: 10, availableBytes: 5)
    #expect(error.code == .tooLarge && error.description == "too large")
    #expect(error.neededBytes == 10 && error.availableBytes == 5)
    #expect(SeedError.fixture(.clientTooOld, oldestModel: "2.0").oldestModel == "2.0")
    let changes = SeedChanges.fixture(version: 8, tables: ["stop": .fixture(updated: 2)])
    #expect(changes.version.number == 8)
    #expect(changes.tables["stop"]?.updated == 2 && changes.tables["stop"]?.keys == nil)
  }

  @Test func `a report and a plan match their action`() {
    let applied = UpdateReport.fixture(from: 3, to: 5, bytes: 120, changes: ["stop": .fixture(inserted: 1)])
    #expect(applied.action == .applied && applied.from?.number == 3 && applied.to.number == 5)
    #expect(applied.bytes == 120 && applied.plan.files == ["delta-3-5.json.gz"])
    let first = UpdatePlan.fixture(.replaced, from: nil, to: 4, bytes: 9_000)
    #expect(first.action == .replaced && first.reason == .firstDownload && first.bytes == 9_000)
    let none = UpdateReport.fixture(.upToDate, from: 2, to: 2)
    #expect(none.action == .upToDate && none.bytes == 0 && none.plan.files.isEmpty)
    #expect(UpdatePhase.finished(none).fractionCompleted == 1)
  }
}

@Suite struct PreviewTests {
  @Test func `a preview store has its rows at once and keeps its publisher alive`() async throws {
    let store = SeedStore.preview(schema: Stops.schema) {
      $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop")
    }
    for try await names in store.observe("SELECT name FROM stop", as: String.self) {
      #expect(names == ["Alexanderplatz"])
      break
    }
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `a preview of a failure has no data and reports the reason`() async throws {
    let store = SeedStore.preview(schema: Stops.schema, failure: .signInPage)
    #expect(await code { _ = try await store.stops } == .server)
  }

  @Test func `a mistake in a preview stops the program with a message`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = SeedStore.preview(schema: "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL)") {
        $0.put(["name": "Alexanderplatz"], in: "stop")
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("this preview has no data: table \"stop\" has no column \"name\""))
  }
}
