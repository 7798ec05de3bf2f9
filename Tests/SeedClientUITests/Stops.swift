import SeedClient
import SeedSystem
import Support

struct Place: Decodable, Sendable {
  struct ID: Decodable, Sendable { let id: String, stepFree: Int }

  let id: String, name: String
}

enum Stops {
  static func publisher() throws -> TestPublisher {
    let seeds = try TestPublisher(
      schema: """
        CREATE TABLE zone(name TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE stop(
          id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, zone TEXT, step_free INTEGER NOT NULL DEFAULT 0);
        """)
    try seeds.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") }
    return seeds
  }

  /// A publisher, and a store with its data.
  static func updated() async throws -> (TestPublisher, SeedStore) {
    let seeds = try publisher()
    let store = try seeds.store()
    try await store.update()
    return (seeds, store)
  }
}

final class Told: Sendable {
  private let count = Mutex(0)

  var times: Int { count.withLock(\.self) }

  func tell() { count.withLock { $0 += 1 } }
}
