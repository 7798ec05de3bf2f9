import Foundation
import SeedClient
import SeedClientTesting

/// A small schema as an app may have it, and what tests ask of it.
enum Stops {
  static let schema = """
    CREATE TABLE zone(name TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE stop(
      id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, zone TEXT REFERENCES zone(name),
      step_free INTEGER NOT NULL DEFAULT 0 CHECK (step_free IN (0, 1)));
    CREATE TABLE stop_time(trip TEXT NOT NULL, position INTEGER NOT NULL, stop TEXT, PRIMARY KEY (trip, position));
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content='stop');
    """

  /// A publisher with one stop.
  static func publisher() throws -> TestPublisher {
    let seeds = try TestPublisher(schema: schema)
    try seeds.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") }
    return seeds
  }

  /// The error that publishing these rows ends with.
  static func mistake(_ rows: (inout RowChanges) throws -> Void) throws -> String? {
    mistake { try publisher().publish(rows) }
  }

  static func mistake(_ body: () throws -> Version) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? TestPublisherError)?.description ?? "another error: \(error)"
    }
  }
}

extension SeedStore {
  /// The stops' names, in the order of their ids.
  var stops: [String] {
    get async throws { try await read { try $0.rows("SELECT name FROM stop ORDER BY id", as: String.self) } }
  }
}
