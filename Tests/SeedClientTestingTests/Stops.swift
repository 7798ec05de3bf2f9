import Foundation
import SeedClient
import SeedClientTesting

/// A small schema of an app, with helpers.
enum Stops {
  static let schema = """
    CREATE TABLE zone(name TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE stop(
      id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, zone TEXT REFERENCES zone(name),
      step_free INTEGER NOT NULL DEFAULT 0 CHECK (step_free IN (0, 1)));
    CREATE TABLE stop_time(trip TEXT NOT NULL, position INTEGER NOT NULL, stop TEXT, PRIMARY KEY (trip, position));
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content='stop');
    """

  static func publisher() throws -> TestPublisher {
    let seeds = try TestPublisher(schema: schema)
    try seeds.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") }
    return seeds
  }

  /// The error of a publication.
  static func mistake(_ body: () throws -> SeedVersion) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? TestPublisherError)?.description ?? "another error: \(error)"
    }
  }
}

extension SeedStore {
  /// The stops' names in order of their ids.
  var stops: [String] {
    get async throws { try await rows("SELECT name FROM stop ORDER BY id") }
  }
}
