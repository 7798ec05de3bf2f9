import Support
import Testing

@testable import SeedClient

/// A store with three stops, and queries of it.
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

  /// The error of a query whose rows do not fit.
  func misfit<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async -> SeedError? {
    do {
      Issue.record("\(try await rows(query, as: type))")
      return nil
    } catch { return error as? SeedError }
  }
}
