import Foundation
import SeedDatabase
import SeedFormat
import SeedFront
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

@Suite struct WideTableTests {
  private static let columns = 2000

  @Test func `a table with the maximum number of columns can be downloaded, changed and read`() async throws {
    let names = (1..<Self.columns).map { "c\($0)" }
    let table = "CREATE TABLE wide(id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))"
    let deployment = try TestDeployment([model("1.0", table)], in: TemporaryFolder(inMemory: true))
    try deployment.origin("\(table); INSERT INTO wide(id, c7, c1999) VALUES (1, 'x', 1.5), (2, 'y', NULL)")
    _ = try deployment.step()
    let front = try Front(FrontConfiguration(publication: deployment.folder("publication")))
    let store = try SeedStore.of(deployment, port: front.port)
    #expect(try await store.update().action == .replaced)
    try deployment.origin(
      "UPDATE wide SET c1999 = 'z' WHERE id = 2; INSERT INTO wide(id, c1) VALUES (3, 'new')")
    _ = try deployment.step()
    #expect(try await store.news().action == .applied)
    let rows = try await store.read { try $0.rows("SELECT * FROM wide ORDER BY id") }
    #expect(rows.map(\.names.count) == [Self.columns, Self.columns, Self.columns])
    let found = try await store.read {
      try $0.rows(
        "SELECT id || coalesce(c1, '') || coalesce(c7, '') || coalesce(c1999, '') FROM wide ORDER BY id",
        as: String.self)
    }
    #expect(found == ["1x1.5", "2yz", "3new"])
  }
}
